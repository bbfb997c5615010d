"""Variables set for a command: which change nothing that matters, which change what runs."""

import re

_CALM = re.compile(
    r"CI|DEBUG|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR"
    r"|CLICOLOR_FORCE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|PYTHONIOENCODING"
    r"|PYTHONUTF8|RUST_BACKTRACE|RUST_LOG|NODE_ENV|LOG_LEVEL|LOGLEVEL|VERBOSE|SOURCE_DATE_EPOCH"
    r"|RAILS_ENV|APP_ENV|DJANGO_DEBUG|FLASK_DEBUG|GOOS|GOARCH|COVERAGE|TESTING|HYPOTHESIS_PROFILE"
)
_SHARP = re.compile(
    r"PATH|IFS|ENV|BASH_\w+|SHELLOPTS|BASHOPTS|LD_\w+|DYLD_\w+|GIT_\w+|SSH_\w+|HOME|PWD|OLDPWD"
    r"|CDPATH|PROMPT_COMMAND|PS[0-4]|SHELL|EDITOR|VISUAL|BROWSER|PAGER|\w+_PAGER|\w+_EDITOR"
    r"|PYTHON\w+|NODE_\w+|PERL\w+|RUBY\w+|GEM_\w+|BUNDLE_\w+|JAVA_\w+|_JAVA_\w+|JDK_\w+|CLASSPATH"
    r"|MAKEFLAGS|MAKE|CC|CXX|LD|AR|\w*FLAGS|\w*_WRAPPER|\w*OPTS|\w*OPTIONS|\w*_COMMAND|\w*_CMD"
    r"|\w*_PROXY|\w*_proxy|PIP_\w+|UV_\w+|npm_config_\w+|NPM_CONFIG_\w+|CARGO_\w+|RUSTC\w*|GO\w+"
    r"|LESS\w*|MANPAGER|GREP_\w+|RIPGREP_\w+|TAR_\w+|RSYNC_\w+|XDG_\w+|TMPDIR|SUDO_\w+|DOCKER_\w+"
    r"|KUBECONFIG|AWS_\w+|NEOCODE\w*|FPATH|ZDOTDIR|GCONV_PATH|NLSPATH|LOCPATH|HISTFILE|PYTEST_\w+"
    r"|GLOBIGNORE|POSIXLY_CORRECT|TERMINFO\w*|PYTHONPATH|EXINIT|VIMINIT"
)


def calm_variable(name: str) -> bool:
    """True for a variable that only changes looks, language or talkativeness."""
    return _CALM.fullmatch(name) is not None


def sharp_variable(name: str) -> bool:
    """True for a variable that decides which program or file is used."""
    bare = name.rstrip("+").split("[")[0]
    return _SHARP.fullmatch(bare) is not None and not calm_variable(bare)
