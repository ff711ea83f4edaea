"""Values that keep a schema of the OpenAPI file, and documents with something wrong in them, by chance.

A Generator draws from one random.Random, so a seed repeats everything. Its values keep the schema, not what the schema cannot
say (that a vector has a number for each joint): `joints` makes vectors of the right length likely, and `known` answers values
for members whose text the schema cannot tell, such as names of what is there.
"""

import copy
import json
import string
import sys
from re import _parser

from . import contract

WORDS = ["", "a", "cell-4", "été", "漢字", "\N{GRINNING FACE}", "a b", "%00", "../..", "' OR 1=1 --", "<script>", "\x7f", "x" * 300]
EDGES = [0, -0.0, 1, -1, 2, 0.5, 1e-9, 1e-300, 5e-324, 1e9, 1e12, -1e12, 1e300, -sys.float_info.max, 2**31, 2**53, -2**63, 2**64]
ODDITIES = [None, True, False, [], {}, "", "x", "NaN", [None], [[]], {"": 0}, *EDGES]


class Generator:
    def __init__(self, chance, joints=2, known=lambda name: None):
        self.chance, self.joints, self.known = chance, joints, known

    # -- what keeps a schema --
    def value(self, schema, name="", depth=0):
        schema = contract.resolve(schema)
        if "allOf" in schema:
            return {k: v for part in schema["allOf"] for k, v in self.value(part, name, depth).items()}
        if "oneOf" in schema:
            return self.value(self.chance.choice(schema["oneOf"]), name, depth)
        for fixed in ("const", "enum", "x-known"):
            if fixed in schema:
                return schema[fixed] if fixed == "const" else self.chance.choice(schema[fixed])
        kind = schema.get("type", self.chance.choice(["null", "boolean", "integer", "string"]))
        if isinstance(kind, list):
            kind = self.chance.choice(kind)
        return getattr(self, f"_{kind}")(schema, name, depth)

    def _null(self, schema, name, depth):
        return None

    def _boolean(self, schema, name, depth):
        return self.chance.random() < 0.5

    def _integer(self, schema, name, depth):
        known = self.known(name) if self.chance.random() < 0.8 else None
        if known and known.isdigit():
            return int(known)
        low, high = schema.get("minimum", -5), schema.get("maximum", 10**6)
        if self.chance.random() < 0.7:
            high = min(high, low + 12)
        return self.chance.choice([low, high, self.chance.randint(int(low), int(high))])

    def _number(self, schema, name, depth):
        low = schema.get("minimum", schema.get("exclusiveMinimum", -sys.float_info.max))
        high = schema.get("maximum", schema.get("exclusiveMaximum", sys.float_info.max))
        edges = [n for n in EDGES + [low, high] if low <= n <= high and n not in
                 (schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum"))]
        usual = self.chance.uniform(max(low, -2), min(high, 2)) if low < 2 and high > -2 else low
        return self.chance.choice(edges) if edges and self.chance.random() < 0.15 else usual

    def _string(self, schema, name, depth):
        known = self.known(name) if self.chance.random() < 0.8 else None
        if known is not None:
            return known
        if "pattern" in schema:
            return self.matching(schema["pattern"])[:schema.get("maxLength")]
        text = self.chance.choice(WORDS)[:schema.get("maxLength")]
        return text.ljust(schema.get("minLength", 0), "a")

    def _array(self, schema, name, depth):
        low, high = schema.get("minItems", 0), schema.get("maxItems", 8)
        count = self.joints if low <= self.joints <= high and self.chance.random() < 0.8 else \
            self.chance.randint(low, max(low, min(high, 4)))
        return [self.value(schema.get("items", {}), name, depth + 1) for _ in range(count)]

    def _object(self, schema, name, depth):
        made, fields = {}, schema.get("properties", {})
        for field, content in fields.items():
            if field in schema.get("required", ()) or self.chance.random() < 0.25 / (1 + depth):
                made[field] = self.value(content, field, depth + 1)
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            for _ in range(self.chance.randint(schema.get("minProperties", 0), 2)):
                made[self.value(schema.get("propertyNames", {"type": "string"}), "", depth)] = self.value(more, "", depth + 1)
        return made

    def matching(self, pattern):
        """A text that matches a regular expression of the contract."""
        return "".join(self._piece(piece) for piece in _parser.parse(pattern))

    def _piece(self, piece):
        operator, operand = str(piece[0]), piece[1]
        if operator == "LITERAL":
            return chr(operand)
        if operator == "NOT_LITERAL":
            return self._one_of([("NEGATE", None), ("LITERAL", operand)])
        if operator == "IN":
            return self._one_of(operand)
        if operator == "MAX_REPEAT":
            low, high, inner = operand
            return "".join(self._piece(one) for _ in range(self.chance.randint(low, min(int(high), low + 12))) for one in inner)
        if operator == "SUBPATTERN":
            return "".join(self._piece(one) for one in operand[3])
        if operator == "BRANCH":
            return "".join(self._piece(one) for one in self.chance.choice(operand[1]))
        if operator == "AT":
            return ""
        raise NotImplementedError(f"{operator} in a pattern of the contract")

    def _one_of(self, members):
        allowed = set(string.ascii_letters + string.digits + "-_. ")
        named = set()
        for operator, operand in members:
            if str(operator) == "RANGE":
                named |= set(map(chr, range(operand[0], operand[1] + 1)))
            elif str(operator) == "LITERAL":
                named.add(chr(operand))
            elif str(operator) == "CATEGORY":
                named |= set(string.digits)
        refused = str(members[0][0]) == "NEGATE"
        return self.chance.choice(sorted(allowed - named if refused else named))

    # -- what does not --
    def spoiled(self, document):
        """A copy with one to three members changed, left out, doubled or added."""
        document = copy.deepcopy(document)
        for _ in range(self.chance.randint(1, 3)):
            places = list(_places(document))
            if not places:
                return self.chance.choice(ODDITIES)
            holder, key = self.chance.choice(places)
            change = self.chance.randrange(6)
            if change == 0:
                del holder[key]
            elif change == 1 and isinstance(holder, dict):
                holder[self.chance.choice(["x", str(key) + "s", str(key).upper(), "", "a/b~c", "é"])] = holder[key]
            elif change == 1 or change == 2 and isinstance(holder[key], list):
                more = holder if change == 1 else holder[key]
                more.extend(copy.deepcopy(more[:2]) or [0])
            elif change == 3 and isinstance(holder[key], (int, float)):
                holder[key] = self.chance.choice([-holder[key], holder[key] * 1e6, holder[key] + 1e-12, *EDGES])
            else:
                holder[key] = copy.deepcopy(self.chance.choice(ODDITIES + [self.chance.choice(WORDS)]))
        return document

    def damaged(self, data):
        """Bytes with some cut out, turned over, doubled or put in."""
        data = bytearray(data)
        for _ in range(self.chance.randint(1, 4)):
            at = self.chance.randrange(len(data) + 1)
            change = self.chance.randrange(4)
            if change == 0:
                del data[at:at + self.chance.randint(1, 20)]
            elif change == 1 and at < len(data):
                data[at] ^= 1 << self.chance.randrange(8)
            elif change == 2:
                data[at:at] = data[:at][-self.chance.randint(1, 50):]
            else:
                data[at:at] = self.chance.choice([b"\0", b"\xff", b"[" * 70, b"{", b'"', b"1e999", b"\r\n", b",", b"NaN", b"\\u0000"])
        return bytes(data)


def _places(node):
    """(holder, key) of every member of a document."""
    for key, value in list(node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()):
        yield node, key
        yield from _places(value)


def points_into(pointer, document):
    """Does a JSON pointer name a member of the document, or one that an object or array of it lacks?"""
    at = document
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(at, dict):
            if part not in at:
                return True
            at = at[part]
        elif isinstance(at, list) and part.isdigit() and int(part) <= len(at):
            at = at[int(part)] if int(part) < len(at) else {}
        else:
            return False
    return True


def is_json(data):
    """Would a strict reader take these bytes? Numbers beyond doubles and nesting beyond the limit it would not."""
    try:
        json.loads(data, parse_constant=_refuse)
        return True
    except (ValueError, RecursionError):
        return False


def _refuse(name):
    raise ValueError(name)
