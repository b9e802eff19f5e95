"""Reads signed settings, with nothing but Python's own library.

It follows RemoteSettingsFormat.md, and shares no code with the module. Its input is JSON: the name of the publisher, the group, the keys
with their identifiers in the order in which the publisher signs with them, the tolerance for clocks, and messages in Base64, each with
the time at which it arrives. Its output is a list with the document or the error of each message, to a client that receives them in
their order.
"""

import base64
import hashlib
import json
import re
import struct
import sys
from decimal import Decimal, localcontext
from fractions import Fraction


class Refused(Exception):
    """Why a message is not taken."""


# Ed25519 after RFC 8032, section 5.1.

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def add(one, other):
    """The sum of two points in extended coordinates."""
    a, b = (one[1] - one[0]) * (other[1] - other[0]), (one[1] + one[0]) * (other[1] + other[0])
    c, d = 2 * one[3] * other[3] * D, 2 * one[2] * other[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(number, point):
    """A multiple of a point."""
    result = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = add(result, point)
        point, number = add(point, point), number >> 1
    return result


def are_equal(one, other):
    """Whether two points are one."""
    return all((one[i] * other[2] - other[i] * one[2]) % P == 0 for i in (0, 1))


def decode_point(data):
    """The point of 32 bytes; none if they are not those of one."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if len(data) != 32 or y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or x == 0 and sign:
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = decode_point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def is_signature(signature, key, data):
    """Whether the owner of a key has signed bytes."""
    public, random = decode_point(key), decode_point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or public is None or random is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + data).digest(), "little") % L
    return are_equal(multiply(s, BASE), add(random, multiply(h, public)))


# The message.

NAME = re.compile(rb"[A-Za-z0-9._-]{1,64}")


def split_message(data):
    """The identifier of the key, the signature, the bytes that it is for, and the JSON of a message."""
    line, feed, content = data.partition(b"\n")
    words = line.split(b" ")
    if not feed or len(words) < 2 or words[0] != b"keyspan-settings":
        raise Refused("malformed")
    if words[1] != b"2":
        raise Refused("unsupportedVersion" if 1 <= len(words[1]) <= 4 else "malformed")
    if len(words) != 4 or not NAME.fullmatch(words[2]) or not re.fullmatch(rb"[A-Za-z0-9+/]{86}==", words[3]):
        raise Refused("malformed")
    signature = base64.b64decode(words[3], validate=True)
    content = content.removesuffix(b"\n")
    if base64.b64encode(signature) != words[3] or not content or b"\n" in content:
        raise Refused("malformed")
    return words[2].decode(), signature, b"keyspan-settings 2 " + words[2] + b"\n" + content, content


# The JSON.


class Members(list):
    """An object as pairs of names and values."""


class Number(str):
    """The text of a number."""


def unique(pairs):
    """An object whose names are all different; a member that is null is none."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("two members have one name")
    return Members((name, value) for name, value in pairs if value is not None)


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def parse(text):
    """The JSON of UTF-8 text, with its numbers as they are written."""
    found = json.loads(
        text.decode("utf-8"), object_pairs_hook=unique, parse_int=Number, parse_float=Number, parse_constant=no_constant
    )
    json.dumps(found, ensure_ascii=False).encode("utf-8")  # Half of a surrogate pair has no UTF-8.
    return found


def real(number):
    return {"real": struct.pack(">d", number).hex()}


def date(seconds):
    return {"date": struct.pack(">d", seconds).hex()}


def number(text):
    """An integer has neither fraction nor exponent, and no negative zero."""
    if re.fullmatch("-?[0-9]+", text) and text != "-0":
        if not -(2**63) <= int(text) < 2**64:
            raise ValueError("an integer is too large")
        return {"integer": str(int(text))}
    with localcontext() as context:
        # The number keeps the digits of the text, if rounding it to as many brings them back.
        context.prec, context.Emax, context.Emin = 2_000, 999_999, -999_999
        written, kept = Decimal(text).normalize(), Decimal(float(text))
        if not kept.is_finite() or written != kept and kept.quantize(written) != written:
            raise ValueError("a real has too many digits, or is too large or too small")
    return real(float(text))


DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})")


def days(year, month, day):
    """The days from 2001-01-01 to a day of the Gregorian calendar."""
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 1 - 730791


def seconds_of(text):
    """The seconds from 2001 to the time of an RFC 3339 text; none for another one."""
    parts = DATE.fullmatch(text)
    if not parts:
        return None
    year, month, day, hour, minute, second = (int(part) for part in parts.groups()[:6])
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 60):
        return None
    zone = parts[8]
    offset = 0 if zone == "Z" else (int(zone[1:3]) * 60 + int(zone[4:])) * (-60 if zone[0] == "-" else 60)
    whole = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return float(whole + Fraction("0" + (parts[7] or ".0")))


NUMBERS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


def tagged(name, content, depth):
    """The value of an object with one member, if that is a form of a value that JSON lacks."""
    if isinstance(content, Number):
        return date(float(content)) if name == "$date" else None
    if name == "$dictionary" and isinstance(content, Members):
        return dictionary(content, depth)
    if not isinstance(content, str):
        return None
    if name == "$data":
        try:
            data = base64.b64decode(content, validate=True)
        except ValueError:
            return None
        return {"data": data.hex()} if base64.b64encode(data).decode() == content else None
    if name == "$real" and content in NUMBERS:
        return real(NUMBERS[content])
    if name == "$date":
        seconds = NUMBERS[content] if content in NUMBERS else seconds_of(content)
        return None if seconds is None else date(seconds)
    return None


DEPTH = 128


def check_depth(depth):
    if depth >= DEPTH:
        raise ValueError("collections are nested too deep")


def dictionary(members, depth):
    check_depth(depth)
    members = sorted(members, key=lambda pair: pair[0].encode())
    return {"dictionary": [[name, value(content, depth + 1)] for name, content in members]}


def value(content, depth=0):
    """A value, with its type beside it."""
    if isinstance(content, bool):
        return {"boolean": content}
    if isinstance(content, Number):
        return number(content)
    if isinstance(content, str):
        return {"string": content}
    if isinstance(content, Members):
        form = tagged(*content[0], depth) if len(content) == 1 else None
        return dictionary(content, depth) if form is None else form
    if isinstance(content, list):
        check_depth(depth)
        return {"array": [value(element, depth + 1) for element in content]}
    raise ValueError("a value is null")


def read_document(content):
    """The members of a document."""
    try:
        found = parse(content)
        members = dict(found) if isinstance(found, Members) else {}
        name, group, state = (members[name] for name in ("name", "group", "state"))
        revision = members["revision"]
        values = value(members["values"])
        times = [seconds_of(members[name]) for name in ("issued", "expires")]
        is_good = (
            all(isinstance(text, str) and not isinstance(text, Number) for text in (name, group, state))
            and NAME.fullmatch(group.encode())
            and group != "changes"
            and group.strip(".")
            and re.fullmatch("[0-9a-f]{32}", state)
            and isinstance(revision, Number)
            and re.fullmatch("[0-9]+", revision)
            and int(revision) < 2**53
            and None not in times
            and times[0] <= times[1]
            and "dictionary" in values
        )
    except (KeyError, TypeError, ValueError, RecursionError):
        raise Refused("unreadableContent") from None
    if not is_good:
        raise Refused("unreadableContent")
    return {"name": name, "group": group, "state": state, "revision": int(revision), "times": times, "values": values}


class Client:
    """What a client remembers of the documents that it has taken."""

    def __init__(self, options):
        self.name, self.group, self.tolerance = options["name"], options["group"], options["tolerance"]
        self.keys = [(key["id"], base64.b64decode(key["key"])) for key in options["keys"]]
        self.last = None

    def take(self, data, now):
        """A document that is verified, for this client, and not older than the last one."""
        key_id, signature, signed, content = split_message(data)
        ranks = [rank for rank, (name, _) in enumerate(self.keys) if name == key_id]
        if not ranks:
            raise Refused("unknownKey")
        if not is_signature(signature, self.keys[ranks[0]][1], signed):
            raise Refused("invalidSignature")
        document = read_document(content)
        document["rank"] = ranks[0]
        if document["name"] != self.name:
            raise Refused("wrongPublisher")
        if document["group"] != self.group:
            raise Refused("wrongGroup")
        if now > document["times"][1] + self.tolerance:
            raise Refused("expired")
        if now < document["times"][0] - self.tolerance:
            raise Refused("notYetValid")
        issued = int(document["times"][0]) + 978_307_200
        tag = f"{document['state']}.{issued}.{document['revision']}.{key_id}"
        self.check_order(document)
        self.last = document
        return {
            "rank": document["rank"], "revision": document["revision"], "state": document["state"], "tag": tag,
            "expires": int(document["times"][1]) + 978_307_200, "values": document["values"],
        }

    def check_order(self, new):
        """The later key outranks all revisions of an earlier one; equal values renew each other."""
        last = self.last
        if last is None or new["rank"] > last["rank"]:
            return
        if new["rank"] < last["rank"]:
            raise Refused("revokedKey")
        if new["state"] != last["state"] and new["revision"] != last["revision"]:
            is_older = new["revision"] < last["revision"]
        else:
            is_older = all(mine < theirs for mine, theirs in zip(new["times"], last["times"]))
        if is_older:
            raise Refused("olderRevision")
        if new["state"] == last["state"]:
            new["revision"] = max(new["revision"], last["revision"])


def main():
    options = json.loads(sys.stdin.buffer.read())
    client, answers = Client(options), []
    for message in options["messages"]:
        try:
            answers.append(client.take(base64.b64decode(message["text"]), message["now"] - 978_307_200))
        except Refused as refused:
            answers.append({"error": str(refused)})
    json.dump(answers, sys.stdout)


main()
