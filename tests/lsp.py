#!/usr/bin/env python3
"""norn lsp, with a client that compares every reply. Usage: lsp.py NORN"""
import json
import random
import subprocess
import sys

norn = sys.argv[1]
failed = 0


def fail(text):
    global failed
    failed += 1
    print("FAILED:", text)


def frame(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def replies_of(output):
    replies = []
    while output:
        header, rest = output.split(b"\r\n\r\n", 1)
        length = int(header.removeprefix(b"Content-Length: "))
        replies.append(json.loads(rest[:length]))
        output = rest[length:]
    return replies


def run(stream, *options, said=b""):
    """The replies to bytes, and the exit status; `said` is the start of the expected standard error."""
    done = subprocess.run([norn, "lsp", *options], input=stream, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    if done.returncode not in (0, 1) or not done.stderr.startswith(said) or bool(done.stderr) != bool(said):
        fail(f"status {done.returncode}, {done.stderr!r} for {stream[:300]!r}")
    return replies_of(done.stdout), done.returncode


def request(method, params=None, id=1):
    return {"jsonrpc": "2.0", "id": id, "method": method} | ({} if params is None else {"params": params})


def notify(method, params=None):
    return {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})


begin = [request("initialize", {"capabilities": {}}, 0), notify("initialized", {})]
ended = b"error: the input ended before"
end = [request("shutdown", id="end"), notify("exit")]


def session(messages, *options):
    """The replies to messages between the beginning and the end of a successful session."""
    replies, status = run(b"".join(map(frame, begin + messages + end)), *options)
    if status:
        fail(f"status {status}")
    if not replies or replies[0].get("id") != 0 or replies[-1] != {"jsonrpc": "2.0", "id": "end", "result": None}:
        fail(f"no beginning or end in {replies}")
    return replies[1:-1]


def place(line, character):
    return {"line": line, "character": character}


def span(line, start, end):
    return {"start": place(line, start), "end": place(line, end)}


def open_(text, uri="file:///a.norn", language="norn"):
    return notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}})


def at(line, character, uri="file:///a.norn", **more):
    return {"textDocument": {"uri": uri}, "position": place(line, character)} | more


def diagnostics(*faults, uri="file:///a.norn", version=1):
    params = {"uri": uri, "version": version, "diagnostics": [
        {"range": where, "severity": 1, "source": "norn", "message": message} for where, message in faults]}
    return {"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": {k: v for k, v in params.items() if v is not None}}


def result(value, id=1):
    return {"jsonrpc": "2.0", "id": id, "result": value}


def error(code, message, id=1):
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}


def same(what, found, *wanted):
    if list(wanted) != found:
        fail(f"{what}:\n  found  {json.dumps(found)}\n  wanted {json.dumps(wanted)}")


# --- The beginning and the end of a server ---

replies, status = run(frame(begin[0]) + frame(end[0]) + frame(end[1]))
same("initialize", replies[:1], result({
    "capabilities": {"positionEncoding": "utf-16", "textDocumentSync": {"openClose": True, "change": 2}, "hoverProvider": True,
                     "definitionProvider": True, "referencesProvider": True, "renameProvider": {"prepareProvider": True},
                     "documentFormattingProvider": True, "completionProvider": {"triggerCharacters": [".", "%", "@"]}},
    "serverInfo": replies[0]["result"]["serverInfo"]}, 0))
if replies[0]["result"]["serverInfo"]["name"] != "norn":
    fail("another name")
same("before initialize", run(frame(request("textDocument/hover", at(0, 0))) + frame(notify("exit")))[0],
     error(-32002, "expected the request initialize first"))
if run(frame(begin[0]) + frame(notify("exit")))[1] != 1 or run(b"", said=ended)[1] != 1:
    fail("an end without shutdown is none in due form")
same("twice", session([request("initialize", {})]), error(-32600, "already initialized"))
same("after shutdown", run(frame(begin[0]) + frame(end[0]) + frame(request("textDocument/hover", at(0, 0))) + frame(end[1]))[0][2:],
     error(-32600, "the server is shut down"))
same("unknown", session([request("textDocument/foo"), notify("$/bar"), request("textDocument/didOpen", {}), notify("textDocument/hover")]),
     error(-32601, "unknown request 'textDocument/foo'"), error(-32601, "unknown request 'textDocument/didOpen'"))
same("answers to nothing", session([{"jsonrpc": "2.0", "id": 7, "result": None}, {"jsonrpc": "2.0", "id": 8}]), error(-32600, "expected a method", 8))

# --- Errors in the text ---

wrong = "shader compute @x workgroup(1, 1, 1) {\nentry:\n  ; \U0001F600\n  %1 = iad.i32 1, 2\n  end2\n}\n"
good = wrong.replace("iad", "iadd").replace("end2", "end")
iad = (span(3, 7, 14), "unknown operation 'iad.i32'; did you mean iadd?")
same("all errors of the parser", session([open_(wrong)]), diagnostics(iad, (span(4, 2, 6), "unknown operation 'end2'; did you mean end?")))
same("none, and closed", session([open_(good), notify("textDocument/didClose", {"textDocument": {"uri": "file:///a.norn"}}),
                                  request("textDocument/hover", at(0, 0))]),
     diagnostics(), diagnostics(version=None), error(-32602, "expected an open document"))
unverified = good.replace("1, 2", "1, %2").replace("  end", "  %2 = iadd.i32 1, 1\n  end")
same("errors of the verifier", session([open_(unverified)]),
     diagnostics((span(3, 2, 4), "iadd: the definition of %2 does not dominate this use")))
same("a byte-order mark", session([open_("\ufeffshadr")]),
     diagnostics((span(0, 1, 6), "expected 'target' or 'shader', found 'shadr'")))
same("assembly, by the name of its file", session([open_("FADD.f32 r0, r1\nNOPE\nx:\nx:\nBRANCHZ.eq r0, y\n", uri="file:///a.s", language="text")]),
     diagnostics((span(0, 15, 15), "expected ',' and another operand of FADD.f32"),
                 (span(1, 0, 4), "'NOPE' is not an instruction of valhall; did you mean NOP?"),
                 (span(3, 0, 1), "label 'x' is defined twice"), (span(4, 15, 16), "label 'y' is not defined"), uri="file:///a.s"))
same("another target", session([open_("v_nop\nv_rcp_f32 v0, v300\n", language="nornasm")], "--target", "gcn", "--stdio"),
     diagnostics((span(1, 14, 18), "'v300' is not a source of V_RCP_F32; expected V0 to V255")))

# --- Changes ---


def change(*changes, version=2):
    return notify("textDocument/didChange", {"textDocument": {"uri": "file:///a.norn", "version": version}, "contentChanges": list(changes)})


end2 = (span(4, 2, 6), "unknown operation 'end2'; did you mean end?")
both = diagnostics(iad, end2)
same("changes of ranges", session([open_(wrong), change({"range": span(3, 10, 10), "text": "d"}, {"range": span(4, 5, 6), "text": ""})]),
     both, diagnostics(version=2))
same("a change of all", session([open_(wrong), change({"text": good})]), both, diagnostics(version=2))
same("beyond lines and the text", session([open_(good), change({"range": {"start": place(4, 2), "end": place(4, 99)}, "text": "end2"},
                                                               {"range": {"start": place(9, 9), "end": place(99, 0)}, "text": "x"})]),
     diagnostics(), diagnostics(end2, (span(6, 0, 1), "expected 'function' or the end of the text, found 'x'"), version=2))
# The character has two UTF-16 units and four bytes; an error after it has a different position in each.
comment = "shader compute @x workgroup(1, 1, 1) { ; \U0001F600\n"
behind = "shader compute @x \U0001F600 workgroup(1, 1, 1) {\n"
for encodings, encoding, character, length in ([], "utf-16", 43, 2), (["utf-8", "utf-16"], "utf-8", 45, 4), (["x", 1], "utf-16", 43, 2):
    replies, _ = run(b"".join(map(frame, [request("initialize", {"capabilities": {"general": {"positionEncodings": encodings}}}, 0),
                                          open_(behind), open_(comment), change({"range": span(0, 41, character), "text": "."}),
                                          request("textDocument/formatting", {"textDocument": {"uri": "file:///a.norn"}})] + end)))
    if replies[0]["result"]["capabilities"]["positionEncoding"] != encoding:
        fail(f"encoding {encodings}")
    if replies[1]["params"]["diagnostics"][0]["range"] != span(0, 18, 18 + length):
        fail(f"place in {encoding}: {replies[1]}")
# A cut right after the character is exact; a cut within it is moved to before it.
for character, left in (43, "; ."), (42, "; .\U0001F600"):
    text = comment + "entry:\n  end\n}\n"
    replies = session([open_(text), change({"range": span(0, 41, character), "text": "."}),
                       change({"range": span(0, 0, 39), "text": "shader  compute @x workgroup(1,1,1) {"}, version=3),
                       request("textDocument/formatting", {"textDocument": {"uri": "file:///a.norn"}})])
    edit = {"range": span(0, 0, 37), "newText": "shader compute @x workgroup(1, 1, 1) {"}
    same("within a character", replies, diagnostics(), diagnostics(version=2), diagnostics(version=3), result([edit]))

# --- Meanings, definitions, uses ---

program = """; run: grid=1
shader compute @main workgroup(16, 1, 1) {
  fau x: i64 @ 0, n: i32 @ 2
entry:
  %i = global_id.x
  %in = icmp.ult.i32 %i, fau.n
  br %in, body(%i), done
body(%k: i32):
  %v = call.i32 @twice(%k) ; %k twice
  %more = icmp.eq.i32 %v, 1
  br %more, body(%v), done
done:
  end
}
function @twice(%i: i32) -> i32 {
entry:
  %two = iadd.i32 %i, %i
  return.i32 %two
}
"""
opened = open_(program)


def ask(method, line, character, text=program, **more):
    """The result of a request about a position in a valid program."""
    replies = session([open_(text), request("textDocument/" + method, at(line, character, **more))])
    if len(replies) != 2 or replies[0]["params"]["diagnostics"]:
        fail(f"errors in {replies}")
    return replies[-1].get("result", replies[-1].get("error"))


def where(*spans):
    return [{"uri": "file:///a.norn", "range": s} for s in spans]


same("hover of an operation", [ask("hover", 5, 9)], {"contents": {"kind": "markdown", "value":
     "```norn\ni1 = icmp.INTCONDITION.T T, T\n```\nwhether the integer condition holds between a and b\n\n"
     "- T: i8 i16 i32 i64\n- INTCONDITION: eq ne ult ule ugt uge slt sle sgt sge\n"}, "range": span(5, 8, 20)})
same("hover of a value", [ask("hover", 10, 6)], {"contents": {"kind": "markdown", "value":
     "```norn\n%more = icmp.eq.i32 %v, 1\n```\n"}, "range": span(10, 6, 10)})
same("hover of nothing", [ask("hover", 0, 3), ask("hover", 99, 99)], None, None)
same("definition of a parameter", [ask("definition", 8, 24)], where(span(7, 6, 7))[0])
same("definition of a block", [ask("definition", 6, 11)], where(span(7, 0, 4))[0])
same("definition of a function", [ask("definition", 8, 16)], where(span(14, 10, 15))[0])
same("definition of a uniform", [ask("definition", 5, 30)], where(span(2, 18, 19))[0])
same("definition in its own function", [ask("definition", 16, 19)], where(span(14, 17, 18))[0])
same("definition of an operation", [ask("definition", 16, 12)], None)
same("uses of a value", [ask("references", 4, 3)], where(span(5, 22, 23), span(6, 16, 17)))
same("uses and definition", [ask("references", 10, 14, context={"includeDeclaration": True})], where(span(6, 10, 14), span(7, 0, 4), span(10, 12, 16)))
same("may be renamed", [ask("prepareRename", 6, 16), ask("prepareRename", 5, 10)],
     {"range": span(6, 16, 17), "placeholder": "i"}, None)


def renamed(new, *spans):
    return {"changes": {"file:///a.norn": [{"range": s, "newText": new} for s in spans]}}


same("rename of a value", [ask("rename", 5, 22, newName="%lane")], renamed("lane", span(4, 3, 4), span(5, 22, 23), span(6, 16, 17)))
same("rename of a block", [ask("rename", 11, 1, newName="out")], renamed("out", span(6, 20, 24), span(10, 22, 26), span(11, 0, 4)))
same("rename of a function", [ask("rename", 8, 18, newName="@double")], renamed("double", span(8, 17, 22), span(14, 10, 15)))
same("rename of a uniform", [ask("rename", 2, 18, newName="count")], renamed("count", span(2, 18, 19), span(5, 29, 30)))
for line, character, name, message in ((4, 3, "v", "the new name is already in use"), (4, 3, "a b", "a name must consist of letters, digits and '_'"),
                                       (4, 3, "", "a name must consist of letters, digits and '_'"), (3, 1, "1", "a name must consist of letters, digits and '_'"),
                                       (0, 0, "x", "no name at this position"), (4, 8, "x", "the name is not defined in this text")):
    same("refused: " + name, [ask("rename", line, character, newName=name)], {"code": -32803, "message": message})

# Machine instructions, in modules and in assembly.
allocated = """target valhall 9
shader compute @main workgroup(1, 1, 1) {
entry:
  jump r3
r3:
  %a@r2:r3 = SHADDX.u64 u0, 0x0, shift:0x2
  %b@r1 = LOAD.i32.unsigned.slot0 ^%a@r2:r3, offset:0
  BRANCHZ.eq.reconverge ^%b@r1, next, done
next:
  jump done
done:
  end
}
"""
same("registers are no names", [ask("references", 3, 7, allocated, context={"includeDeclaration": True})], where(span(3, 7, 9), span(4, 0, 2)))
same("a block of a branch", [ask("references", 8, 0, allocated)], where(span(7, 32, 36)))
found = ask("hover", 6, 12, allocated)
if not found["contents"]["value"].startswith("```\nLOAD.i32") or found["range"] != span(6, 10, 33):
    fail(f"hover of an instruction: {found}")
code = "start:\nFADD.f32.clamp_0_1 r0, r1, r2 // start\n/* start\n*/ BRANCHZ.eq r0, start\n"
replies = session([open_(code, language="nornasm"), request("textDocument/hover", at(1, 12)),
                   request("textDocument/rename", at(0, 2, newName="again")), request("textDocument/formatting", at(0, 0))])
if not replies[1]["result"]["contents"]["value"].startswith("```\nFADD.f32  "):
    fail(f"hover in assembly: {replies[1]}")
same("rename of a label", replies[2:], result(renamed("again", span(0, 0, 5), span(3, 18, 23))), result([]))

# --- Completion ---


def labels(line, character, text=program, language="norn"):
    replies = session([open_(text, language=language), request("textDocument/completion", at(line, character))])
    return [item["label"] for item in replies[-1]["result"]]


same("completion of values", labels(9, 23), "%i", "%in", "%k", "%v", "%more")
same("completion of a function", labels(8, 18), "@twice")
same("completion of a uniform", labels(5, 29), "fau.x", "fau.n")
same("completion of operations", labels(4, 15), "global_id")
same("completion of instructions", labels(0, 8, "FADD_LSC", "nornasm"), "FADD_LSCALE.f32")
item = session([opened, request("textDocument/completion", at(4, 15))])[1]["result"][0]
same("an item", [item], {"label": "global_id", "kind": 3, "detail": "i32 = global_id.AXIS", "documentation": item["documentation"],
                         "textEdit": {"range": span(4, 7, 15), "newText": "global_id"}})

# --- Formatting ---

ugly = """; run: grid=1

  shader  compute @main workgroup(16,1,1) {   ; head
 fau x: i64 @ 0   ; x
 fau y:i64 @ 2,n: i32 @ 4
 entry:
       ; alone
    %i   =  iadd.i32  1,0x2\t; sum\t

  end
}
"""
neat = """; run: grid=1

shader compute @main workgroup(16, 1, 1) {   ; head
  fau x: i64 @ 0   ; x
  fau y: i64 @ 2, n: i32 @ 4
entry:
       ; alone
  %i = iadd.i32 1, 2\t; sum\t

  end
}
"""


def applied(text, edits):
    lines = text.split("\n")
    for edit in edits:
        at, to = edit["range"]["start"], edit["range"]["end"]
        if at["line"] != to["line"]:
            fail("an edit of several lines")
        line = lines[at["line"]]
        lines[at["line"]] = line[:at["character"]] + edit["newText"] + line[to["character"]:]
    return "\n".join(lines)


edits = ask("formatting", 0, 0, ugly)
if applied(ugly, edits) != neat:
    fail("formatted: " + applied(ugly, edits))
same("neat already", [ask("formatting", 0, 0, neat), ask("formatting", 0, 0, program)], [], [])
tables = "shader compute @t workgroup(1, 1, 1) {\n  data  f32 1.0,2.0\n  fau x: i64 @ 0\nentry:\n  %a  = data_address 4\n  end\n}\n"
same("constant data stays", [applied(tables, ask("formatting", 0, 0, tables))], tables.replace("%a  =", "%a ="))
same("what is wrong stays", [session([open_(wrong.replace("1, 2", "1,2")), request("textDocument/formatting", at(0, 0))])[1]], result([]))

# --- Hostile input ---

for header in (b"Content-Length: x\r\n\r\n{}", b"Content-Length: -1\r\n\r\n", b"Content-Length: 99999999999999999999\r\n\r\n{}",
               b"Content-Length: 67108865\r\n\r\n{}", b"Content-Length: 50\r\n\r\n{}", b"\r\n\r\n{}", b"Content-Type: x\r\n\r\n", b"C" * 5000,
               b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", b"Content-Length: 2"):
    same(f"header {header[:40]}", run(header)[0], error(-32700, "expected a header with Content-Length, followed by as many bytes", None))
same("another header", run(b"content-length:2 \nX: y\n\n{}", said=ended)[0], error(-32600, "expected a method", None))
for body, wanted in ((b"", -32700), (b"{", -32700), (b"\xff", -32700), (b'{"a\0": 1}', -32700), (b'{"a": "\\u0000"}', -32700), (b"[" * 5000, -32700),
                   (b"[]", -32600), (b"1", -32600), (b'"x"', -32600), (b"{}", -32600), (b'{"id": [], "method": "shutdown"}', -32600),
                   (b'{"id": 1, "method": 3}', -32600), (b'{"id": null, "method": "shutdown"}', -32600)):
    replies = session([body])
    if len(replies) != 1 or replies[0].get("error", {}).get("code") != wanted:
        fail(f"body {body[:60]}: {replies}")
for params in (None, {}, [], {"textDocument": 1}, {"textDocument": {"uri": 1}}, at(-1, 0), at(0, -1), at("0", 0), at(0, 1.5), at(2**40, 0), at(2**70, 0),
               {"textDocument": {"uri": "file:///a.norn"}, "position": []}):
    asked = [request("textDocument/" + method, params) for method in
             ("hover", "definition", "references", "rename", "prepareRename", "completion")]
    replies = session([opened] + asked)
    if [reply.get("error", {}).get("code") for reply in replies[1:]] != [-32602] * len(asked):
        fail(f"{params}: {replies[1:]}")
same("changes that are none", session([opened, change(1), change({}), change({"text": 1}), change({"text": "", "range": 1}),
                                       change({"text": "", "range": {"start": place(5, 0), "end": place(4, 0)}}),
                                       notify("textDocument/didChange", {"textDocument": {"uri": "file:///b"}, "contentChanges": []}),
                                       notify("textDocument/didOpen", {"textDocument": {"uri": "file:///b"}})]), diagnostics())

# Programs with random damage, and requests at every kind of position in them.
random.seed(1)
messages = []
for i in range(60):
    text, language = random.choice([(program, "norn"), (allocated, "norn"), (code, "nornasm"), (ugly, "norn")])
    for _ in range(random.randrange(1, 6)):
        cut = random.randrange(len(text))
        text = text[:cut] + random.choice(["", "%", "@", "(", ":", "=", "\r", "\n", ";", "/*", "*/", "\U0001F600", "é", ".", "fau.", "}"]) + text[cut + random.randrange(3):]
    messages.append(open_(text, language=language))
    for method in ("hover", "definition", "references", "rename", "prepareRename", "completion", "formatting"):
        messages.append(request("textDocument/" + method, at(random.randrange(20), random.randrange(40), newName="z", context={})))
    messages.append(change({"range": {"start": place(random.randrange(9), random.randrange(30)), "end": place(99, 0)}, "text": "é"}))
if sum("id" in reply for reply in session(messages)) != 60 * 7:
    fail("questions without an answer")
sys.exit(failed > 0)
