"""One engine, built from the inside out."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from neocode.commands.registry import RESERVED
from neocode.compact.result import CompactPorts, Counters, TranscriptFile
from neocode.compact.result import Measured as Weight
from neocode.compact.runner import CompactRunner
from neocode.config.load import Loaded, load_config
from neocode.config.paths import make_private_folder, project_key, resolve_paths
from neocode.config.schema import Config
from neocode.config.secret_values import secret_values
from neocode.config.trust import answer_for, record_answer
from neocode.context.tokens import TokenCounter
from neocode.domain.errors import ConfigError
from neocode.domain.events import NoticeEvent, Question, RuntimeEvent, ToolOutput
from neocode.domain.messages import Image, ToolCall
from neocode.domain.session import SessionState
from neocode.domain.tooling import Access
from neocode.permissions.configured import check_rules
from neocode.permissions.policy import Policy, judge, make_policy
from neocode.provider.base import Provider
from neocode.runtime.approvals import Tickets
from neocode.runtime.around import Around
from neocode.runtime.bus import Bus
from neocode.runtime.compaction import Compactor
from neocode.runtime.doctor import Finding, Patient, examine
from neocode.runtime.engine import Engine
from neocode.runtime.fitting import Fitting
from neocode.runtime.inbox import Inbox
from neocode.runtime.jobs import Jobs
from neocode.runtime.live import LiveSession
from neocode.runtime.past.going_back import Past
from neocode.runtime.past.keeping import Checkpoints
from neocode.runtime.prompt_commands import PromptCommands
from neocode.runtime.recalling import Recalling
from neocode.runtime.settings import Settings
from neocode.runtime.system_prompt import SystemPrompt
from neocode.runtime.tool_calls import Permissions
from neocode.runtime.trusting import FolderTrust
from neocode.store.checkpoints.blobs import Blobs
from neocode.store.lock import SessionLock
from neocode.store.sessions import SessionStore
from neocode.tools.base import FileStamps, ToolContext, ToolError
from neocode.tools.registry import Registry, default_tools
from neocode.wiring.launch import Launch, find_model, load_settings, usable_models

Ask = Callable[[str, tuple[str, ...]], Awaitable[str]]


class Builder:
    """Builds one engine, from the inside out; each step uses what the ones before made."""

    def __init__(self, launch: Launch, root: Path, provider: Provider) -> None:
        self.launch, self.root, self.provider = launch, root, provider
        self.stamps = FileStamps()
        self.loop = asyncio.get_running_loop()
        self.paths = resolve_paths(launch.environ)

    def build(self) -> Engine:
        """The engine; an empty session, not yet on disk, is in front."""
        launch, root = self.launch, self.root
        self.bus = Bus()
        self.questions: Tickets[str] = Tickets("q")
        self.trust = FolderTrust(
            root=root,
            answer=lambda: answer_for(self.paths, root),
            record=lambda trusted: record_answer(self.paths, root, trusted),
            interactive=launch.interactive,
            ask=self._ask,
            emit=self.bus.publish,
        )
        self.store = SessionStore.open(self.paths.db)
        self.outputs = self.paths.projects / project_key(root) / "outputs"
        make_private_folder(self.outputs)
        self.settings = self._settings()
        self.registry = Registry(default_tools())
        self.live = LiveSession(self.store, self.store.create(cwd=str(root)))
        self.around = self._around()
        self.recalling = Recalling(self.store, self.live, self.around)
        self.past = self._past()
        return self._engine()

    def _settings(self) -> Settings:
        launch = self.launch
        self.loaded = self._load()
        settings = Settings(
            base=self.loaded.config,
            config_file=self.paths.config_file,
            reload=self._reload,
            resolve=lambda config: usable_models(config, self.paths, launch.environ),
            find=lambda config, name: find_model(config, self.paths, launch.environ, name),
            agent=launch.agent or "",
            chosen_mode=launch.mode,  # type: ignore[arg-type]
        )
        if launch.model:
            settings.choose_model(launch.model)
        for model in settings.models:
            if (window := self.store.recalled("window", model.id)) is not None:
                settings.windows[model.id] = int(window)
        return settings

    def _load(self) -> Loaded:
        allowed = self.trust.configuration_allowed
        loaded = load_config(self.paths, self.root, self.launch.environ, {}, allowed)
        check_rules(loaded.config.permissions, loaded.origins)
        return loaded

    def _reload(self) -> Config | None:
        newly_trusted = self.loaded.untrusted and self.trust.configuration_allowed
        if not self.loaded.changed and not newly_trusted:
            return None
        self.loaded = self._load()
        return self.loaded.config

    def _around(self) -> Around:
        ratios = {
            model.id: ratio
            for model in self.settings.models
            if (ratio := self.store.recalled("ratio", model.id)) is not None
        }
        return Around(
            live=self.live,
            settings=self.settings,
            counter=TokenCounter(ratios),
            tools=self.registry.specs(),
            system=SystemPrompt(self.root, self.live, self.settings, self.trust).parts,
            fill_in=self._fill_in,
            remember=self.store.remember,
            emit=self.bus.publish,
        )

    def _engine(self) -> Engine:
        permissions = Permissions(
            policy=self._policy(self.settings.config, self.settings.mode, None),
            tickets=Tickets("p"),
            interactive=self.launch.interactive,
            save_rule=self._save_rule,
        )
        self.prompt_commands = self._prompt_commands(permissions)
        inbox = Inbox()
        compactor = Compactor(
            self._runner(),
            self.live,
            self.settings,
            self.around,
            self.bus.publish,
            ask=self._ask if self.launch.interactive else None,
        )
        jobs = Jobs(
            live=self.live,
            store=self.store,
            provider=self.provider,
            registry=self.registry,
            settings=self.settings,
            around=self.around,
            compactor=compactor,
            permissions=permissions,
            inbox=inbox,
            bus=self.bus,
            root=self.root,
            make_context=self._context,
            make_policy=self._policy,
            lock=lambda session_id: SessionLock.acquire(self.paths.data / "locks", session_id),
            at_first_prompt=self.trust.settle,
            fitting=self._fitting(),
            recalling=self.recalling,
            past=self.past,
            prompt_commands=self.prompt_commands,
            examine=self._examine,
            limits=self.launch.limits,
        )
        return Engine(jobs, self.settings, self.bus, inbox, permissions.tickets, self.questions)

    def _past(self) -> Past:
        def say(words: str) -> None:
            notice = NoticeEvent(kind="checkpoint", message=words, level="warning")
            self.loop.call_soon_threadsafe(self.bus.publish, notice)

        blobs = Blobs(self.paths.checkpoints(self.root))
        checkpoints = Checkpoints(self.store, self.live, blobs, say)
        return Past(self.store, blobs, checkpoints, self.root, self._secrets)

    def _secrets(self) -> tuple[str, ...]:
        keys = (model.api_key for model in self.settings.models)
        return secret_values(self.launch.environ, keys)

    def _prompt_commands(self, permissions: Permissions) -> PromptCommands:
        def may_read(path: str) -> bool:
            access = Access(kind="read", tool="read", target=path)
            return judge(access, permissions.policy).kind == "allow"

        return PromptCommands(
            user_folder=self.paths.config_file.parent / "commands",
            root=self.root,
            reserved=RESERVED,
            is_trusted=lambda: self.trust.configuration_allowed,
            may_read=may_read,
        )

    def _examine(self) -> list[Finding]:
        environ, paths = self.launch.environ, self.paths

        def models() -> list[str]:
            loaded, _ = load_settings(self.root, environ)
            return [model.name for model in usable_models(loaded.config, paths, environ)]

        def configuration() -> Path:
            return load_settings(self.root, environ)[1].config_file

        patient = Patient(
            environ=environ, database=paths.db, configuration=configuration, models=models
        )
        return list(examine(patient))

    def _runner(self) -> CompactRunner:
        counter = self.around.counter

        def model_id() -> str:
            return self.settings.model.id if self.settings.model else ""

        ports = CompactPorts(
            provider=self.provider,
            store=self.store,
            write_transcript=self._write_transcript,
            measure=self._weigh,
            counters=Counters(
                message=lambda m: counter.count_message(m, model_id()),
                text=lambda t: counter.count_text(t, model_id()),
            ),
            emit=self.bus.publish,
        )
        return CompactRunner(
            ports,
            retry=self.settings.config.retry,
            preserve=self.registry.preserving,
        )

    def _write_transcript(self, session: SessionState) -> TranscriptFile:
        from neocode.store.transcript import write_transcript

        secrets = tuple(m.api_key for m in self.settings.models if m.api_key)
        folder = self.paths.transcripts(self.root)
        written = write_transcript(folder, session.id, self.store.lines(session.id, secrets))
        return TranscriptFile(id=written.id, path=str(written.path))

    def _weigh(self, session: SessionState) -> Weight:
        built = self.around.look(session)
        text = "\n".join(message.content for message in built.messages)
        fixed = sum(built.tokens[name] for name in ("system", "instructions", "tools"))
        return Weight(
            tokens=built.total, fixed=fixed, chars=sum(m.chars for m in built.messages), text=text
        )

    def _fitting(self) -> Fitting:
        def fixed() -> int:
            tokens = self.around.look().tokens
            return sum(tokens[n] for n in ("system", "instructions", "tools", "task_state"))

        return Fitting(
            counter=self.around.counter,
            model=lambda: self.settings.model,
            fixed_tokens=fixed,
            ask=self._ask,
            save=self._save_prompt,
            interactive=self.launch.interactive,
            emit=self.bus.publish,
        )

    def _policy(self, config: Config, mode: str, before: Policy | None) -> Policy:
        try:
            made = make_policy(
                config.permissions,
                self.root,
                mode=mode,  # type: ignore[arg-type]
                readable_extra=(self.outputs,),
            )
        except ValueError as error:
            raise ConfigError(f"permissions: {error}") from error
        return made if before is None else made.with_session_of(before)

    def _context(self, call: ToolCall, result_tokens: int) -> ToolContext:
        config, model = self.settings.config, self.settings.model
        return ToolContext(
            root=self.root,
            outputs=self.outputs,
            call_id=call.id,
            session_id=self.live.state.id,
            stamps=self.stamps,
            emit=lambda text: self.bus.publish(ToolOutput(call_id=call.id, text=text)),
            ask=self._ask,
            result_tokens=result_tokens,
            see_images=bool(model and model.vision),
            bash_timeout_s=config.tools.bash.timeout_s,
            sandbox=config.permissions.sandbox,
            sandbox_network=config.permissions.sandbox_network,
            recall=self.recalling,
            before_change=self.past.checkpoints.before_change,
        )

    def _fill_in(self, text: str) -> tuple[str, tuple[Image, ...]]:
        from neocode.tools.mentions import expand_mentions, mentioned_images

        context = self._context(
            ToolCall(id="mention", name="read", arguments=""),
            self.settings.config.tools.limits.result_tokens,
        )
        text = self.prompt_commands.spelled_out(text)
        return expand_mentions(text, context), mentioned_images(text, context)

    async def _ask(self, question: str, options: tuple[str, ...]) -> str:
        if not self.launch.interactive:
            raise ToolError("Nobody can be asked without a screen; decide yourself and say so.")
        request_id = self.questions.open()
        event: RuntimeEvent = Question(request_id=request_id, question=question, options=options)
        self.bus.publish(event)
        return await self.questions.wait(request_id)

    def _save_rule(self, rule: str) -> None:
        from neocode.config.edit import append_value
        from neocode.permissions.rules import split_rules

        for one in split_rules(rule) or (rule,):
            append_value(self.paths.config_file, "permissions.allow", one)

    def _save_prompt(self, name: str, text: str) -> Path:
        path = self.outputs / name
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
        return path
