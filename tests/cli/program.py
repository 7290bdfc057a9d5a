"""How the tests call the program."""

from __future__ import annotations

import subprocess
from typing import Callable

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]
