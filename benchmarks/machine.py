"""What a benchmark ran on, without names: nobody else has this machine, but somebody may have one like it."""

import os
import platform
import subprocess
import tempfile
from pathlib import Path


def machine() -> dict[str, object]:
    """Tell what counts of this machine."""
    pages, page_bytes = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    return {
        "cores": os.cpu_count(),
        "memory_gib": round(pages * page_bytes / 2**30),
        "processor": _processor(),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "git": git,
    }


def file_system() -> str:
    """Name the kind of file system that temporary files are on."""
    folder, found = Path(tempfile.gettempdir()).resolve(), ("", "unknown")
    for line in Path("/proc/mounts").read_text().splitlines():
        _, mounted, kind, *_ = line.split()
        if folder.is_relative_to(mounted) and len(mounted) >= len(found[0]):
            found = mounted, kind
    return found[1]


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
