"""The settings and checks of the library's tests hold here too."""

from tests.conftest import _caller_settings_survive

__all__ = ["_caller_settings_survive"]
