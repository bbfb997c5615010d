"""The rules of a configuration, tested where they stand (B54: file, line, key, what is allowed)."""

from collections.abc import Mapping

from neocode.config.problems import Faults
from neocode.config.schema import PermissionsConfig
from neocode.config.tree import BUILT_IN, Origin
from neocode.permissions.rules import RuleError, parse_rule


def check_rules(config: PermissionsConfig, origins: Mapping[str, Origin]) -> None:
    """Raise InvalidConfig with every rule that cannot be read.

    origins: places by dotted path, as in permissions.allow[0].
    """
    faults = Faults()
    for name, rules in (("allow", config.allow), ("deny", config.deny)):
        for index, rule in enumerate(rules):
            whole = f"permissions.{name}"
            key = f"{whole}[{index}]"
            try:
                parse_rule(rule)
            except RuleError as error:
                faults.add(origins.get(key) or origins.get(whole, BUILT_IN), key, str(error))
    faults.raise_any()
