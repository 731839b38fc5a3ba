# SPDX-License-Identifier: Apache-2.0
"""Downloads single files of public repositories, by a fixed commit and hash."""
import hashlib
import pathlib
import urllib.error
import urllib.request

from .wheels import Failure


def stored(file, digest, repository, commit, path):
    """Returns `file` with this SHA-256. If it is missing, downloads `path` of a GitHub repository."""
    if not file.exists():
        address = f"https://raw.githubusercontent.com/{repository}/{commit}/{path}"
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                data = answer.read()
        except (urllib.error.URLError, TimeoutError) as error:
            raise Failure(f"{address} cannot be downloaded: {error}") from error
        part = file.with_name(file.name + ".part")
        part.write_bytes(data)
        part.replace(file)
    if (found := hashlib.sha256(file.read_bytes()).hexdigest()) != digest:
        raise Failure(f"{file} has SHA-256 {found}; must be {digest}. Delete the file to download it "
                      "again")
    return file


def fetch(origin, lines, folder):
    """Returns the folder with files of a repository. `origin`: repository and commit; `lines`: paths
    with their SHA-256. The folder has no subfolders."""
    folder.mkdir(parents=True, exist_ok=True)
    for line in lines.strip().splitlines():
        path, digest = line.split()
        stored(folder / pathlib.PurePosixPath(path).name, digest, *origin.split(), path)
    return folder
