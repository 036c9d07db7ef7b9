#!/usr/bin/env python3
"""Signed packages as somebody makes them who has read the description of the container and not its code, or who means
no good.

containers.py text <package> <output>            what is signed of it
containers.py sign <package> <cms> <output>      with another signature, DER
containers.py exchange <package> <tar.gz> <output>  another tar.gz, with every digest right that needs no key
containers.py flip <package> <offset> <output>   with one bit of that byte turned; offsets from the end are negative
"""
import hashlib
import struct
import sys

IMAGE = 0x2000
ARCHIVE = 0x2100
SLOTS = {b"cms": 16 << 10, b"ini": 16 << 10, b"crl": 2 << 10}


def padded(content, unit):
    return content + bytes(-len(content) % unit)


def blocks_of(package):
    """The blocks behind the image, by tag."""
    length, = struct.unpack_from("<I", package, 0x478)
    at = ARCHIVE + length
    at += -at % 16
    found = {}
    while at < len(package):
        tag, size = struct.unpack_from("<12sI", package, at)
        tag = tag.rstrip(b"\0")
        found[tag] = package[at + 16:at + 16 + size]
        at += 16 + len(padded(found[tag] or b"\0", SLOTS[tag]))
    return found


def rebuilt(package, archive=None, signature=None):
    """The package with these parts exchanged; everything that follows from them is computed anew."""
    length, = struct.unpack_from("<I", package, 0x478)
    blocks = blocks_of(package)
    head = bytearray(package[:IMAGE])
    image = bytearray(package[IMAGE:ARCHIVE + length])
    if archive is not None:
        struct.pack_into("<I", head, 0x478, len(archive))
        head[0x560:0x580] = hashlib.sha256(head[:0x560]).digest()
        image[24:56] = hashlib.sha256(archive).digest()
        struct.pack_into("<I", image, 88, len(archive))
        image[256:] = archive
        blocks[b"ini"] = f"ascend_aicpu,   {hashlib.sha256(image).hexdigest()};\n".encode()
    if signature is not None:
        blocks[b"cms"] = signature
    body = padded(bytes(image), 16)
    for tag, content in blocks.items():
        body += struct.pack("<12sI", tag, len(content)) + padded(content, SLOTS[tag])
    struct.pack_into("<Q", head, 0x588, len(head) + len(body))
    return bytes(head) + body


def flipped(package, offset):
    changed = bytearray(package)
    changed[offset] ^= 1
    return bytes(changed)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main(command, path, *arguments):
    package = read(path)
    *given, output = arguments
    if command == "text":
        made = blocks_of(package)[b"ini"]
    elif command == "sign":
        made = rebuilt(package, signature=read(given[0]))
    elif command == "exchange":
        made = rebuilt(package, archive=read(given[0]))
    elif command == "flip":
        made = flipped(package, int(given[0], 0))
    else:
        sys.exit(__doc__)
    with open(output, "wb") as file:
        file.write(made)


if __name__ == "__main__":
    main(*sys.argv[1:])
