"""Packages and descriptions that nobody should unpack, each as bytes. What they hold of a kernel is a library that leaves
a mark when it is executed.
"""
import gzip
import hashlib
import io
import struct
import tarfile
import zlib

FOLDER = "aicpu_kernels_device"
LIBRARY = "libmarker_kernel.so"
ENTRIES = 1_000_000
DEPTH = 1_000_000


def digest_list(files):
    return "".join(f"{name}={hashlib.sha256(data).hexdigest()}\n" for name, data in files.items()).encode()


def add_file(tar, path, data, **attributes):
    entry = tarfile.TarInfo(path)
    entry.size = len(data)
    entry.mode = 0o750
    for name, value in attributes.items():
        setattr(entry, name, value)
    tar.addfile(entry, io.BytesIO(data))


def packed(add, library, listed=None):
    """A package as build.sh makes it, and what `add(tar)` puts into it."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.GNU_FORMAT) as tar:
        add(tar)
        add_file(tar, f"{FOLDER}/bin_hash.cfg", digest_list({LIBRARY: library}) if listed is None else listed)
        add_file(tar, f"{FOLDER}/{LIBRARY}", library)
    return gzip.compress(raw.getvalue(), compresslevel=1, mtime=0)


def good(library):
    return packed(lambda tar: None, library)


def with_file(path, **attributes):
    """The package with one more file, which has the same name as the library when it has none of its own."""
    return lambda library: packed(lambda tar: add_file(tar, path, library, **attributes), library)


def with_entry(kind, link="", **attributes):
    def add(tar):
        entry = tarfile.TarInfo(f"{FOLDER}/entry")
        entry.type = kind
        entry.linkname = link
        for name, value in attributes.items():
            setattr(entry, name, value)
        tar.addfile(entry)
    return lambda library: packed(add, library)


def sparse_bomb(library):
    """One byte on the disk, eight gibibytes for a program that reads it; in the form that GNU tar writes."""
    def add(tar):
        real = 8 << 30
        entry = tarfile.TarInfo(f"{FOLDER}/bomb")
        entry.size = 512
        header = bytearray(entry.tobuf(tarfile.GNU_FORMAT))
        header[156:157] = b"S"
        header[386:398] = f"{real - 512:011o}".encode() + b"\0"  # where the only piece lies
        header[398:410] = f"{512:011o}".encode() + b"\0"
        header[483:495] = b"\x80" + real.to_bytes(11, "big")
        header[148:156] = b" " * 8
        header[148:156] = f"{sum(header):06o}".encode() + b"\0 "
        tar.fileobj.write(bytes(header) + bytes(512))
        tar.offset += 1024
    return packed(add, library)


def repeated(first, block, times, last):
    """A gzip file of `first`, `block` many times, and `last`: the block is packed once."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    parts = [deflate.compress(part) + deflate.flush(flush)
             for part, flush in ((first, zlib.Z_FULL_FLUSH), (block, zlib.Z_FULL_FLUSH), (last, zlib.Z_FINISH))]
    checksum = zlib.crc32(first)
    for _ in range(times):
        checksum = zlib.crc32(block, checksum)
    checksum = zlib.crc32(last, checksum)
    size = (len(first) + len(block) * times + len(last)) & 0xffffffff
    return (b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + parts[0] + parts[1] * times + parts[2] +
            struct.pack("<II", checksum, size))


def many_entries(library):
    """A million folders in two megabytes."""
    entry = tarfile.TarInfo(FOLDER)
    entry.type = tarfile.DIRTYPE
    entry.mode = 0o750
    per_block = 10_000
    block = entry.tobuf(tarfile.GNU_FORMAT) * per_block
    return repeated(b"", block, ENTRIES // per_block, gzip.decompress(good(library)))


def bomb_behind_the_end(library):
    """A good tar, and a little more than a gibibyte of zeros."""
    return repeated(gzip.decompress(good(library)), bytes(16 << 20), 66, b"")


def claims_a_tebibyte(library):
    def add(tar):
        entry = tarfile.TarInfo(f"{FOLDER}/huge.so")
        entry.size = 1 << 40
        tar.fileobj.write(entry.tobuf(tarfile.GNU_FORMAT))
        tar.offset += 512
    return packed(add, library)


def truncated(library):
    whole = good(library)
    return whole[:len(whole) // 2]


def wrong_digest(library):
    return packed(lambda tar: None, library, digest_list({LIBRARY: library + b"x"}))


def unlisted_file(library):
    return packed(lambda tar: add_file(tar, f"{FOLDER}/libextra.so", library), library)


def description(library):
    return (f'{{"Marker": {{"opInfo": {{"opKernelLib": "AICPUKernel", "kernelSo": "{library}", '
            '"functionName": "Marker"}}}').encode()


def packages(outside):
    """What it is: how it is made of the bytes of the library, and the reason that is expected. `outside` is a folder
    where nothing may appear."""
    return {
        "path_traversal": (with_file(f"{FOLDER}/../../libevil.so"), 'contains ".."'),
        "absolute_path": (with_file(f"{outside}/libevil.so"), "is absolute"),
        "symbolic_link": (with_entry(tarfile.SYMTYPE, "/etc/passwd"), "is a symbolic link"),
        "hard_link": (with_entry(tarfile.LNKTYPE, "/etc/passwd"), "is a hard link"),
        "device_node": (with_entry(tarfile.CHRTYPE, devmajor=1, devminor=3), "is a device"),
        "fifo": (with_entry(tarfile.FIFOTYPE), "is a FIFO"),
        "set_uid_bit": (with_file(f"{FOLDER}/libother.so", mode=0o4755), "has the set-user-id or set-group-id bit"),
        "sparse_bomb": (sparse_bomb, "is a sparse file"),
        "claims_a_tebibyte": (claims_a_tebibyte, "has 1099511627776 bytes, the limit is"),
        "bomb_behind_the_end": (bomb_behind_the_end, "unpacks to more than the limit"),
        "two_of_one_name": (with_file(f"{FOLDER}/other/{LIBRARY}"), "two files named"),
        "million_entries": (many_entries, "more than 10000 entries"),
        "truncated_gzip": (truncated, "truncated"),
        "wrong_digest": (wrong_digest, "bin_hash.cfg says"),
        "unlisted_file": (unlisted_file, "is not listed in bin_hash.cfg"),
        "not_a_package": (lambda library: library, "is not a tar.gz"),
    }


def descriptions(outside):
    """A description as bytes, or as the size of a file that is one large hole, and the reason."""
    return {
        "library_outside": (description("../../../../lib64/libevil.so"), "must be a file name"),
        "library_absolute": (description(f"{outside}/libevil.so"), "must be a file name"),
        "json_of_a_gibibyte": (1 << 30, "the limit is"),
        "json_of_depth_a_million": (b'{"Marker": ' + b"[" * DEPTH + b"]" * DEPTH + b"}", "nested deeper than the limit"),
    }
