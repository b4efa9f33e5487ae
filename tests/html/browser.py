#!/usr/bin/env python3
"""Drives a headless Chromium over its DevTools pipe: enough to look at a page, press keys and print it.

    browser.py check FILE WORDS.json     answers with JSON what the page did (tests/html.rs judges it)
    browser.py shots FILE OUT_PREFIX     screenshots at two widths, light and dark

Needs nothing beyond Python and Chromium. Fails if there is no Chromium: what was not looked at is not in order.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zlib


class Browser:
    def __init__(self):
        program = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
        if program is None:
            sys.exit("no chromium: install Debian's package chromium")
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()

        def pipes():
            # Chromium reads commands from 3 and answers on 4. First out of the way, for the numbers may be in use.
            read, write = os.dup(theirs_in), os.dup(theirs_out)
            while read < 5:
                read = os.dup(read)
            while write < 5:
                write = os.dup(write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        # Its sandbox needs what containers and root do not have; the page is our own.
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=pipes, close_fds=False)
        os.close(theirs_in)
        os.close(theirs_out)
        self.read, self.write = os.fdopen(ours_in, "rb", 0), os.fdopen(ours_out, "wb", 0)
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.read.fileno(), 1 << 20)
            if not piece:
                sys.exit("chromium ended before it answered")
            self.buffer += piece
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.write.fileno(), data):]
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    sys.exit(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def open(self, address):
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=address)
        end = time.monotonic() + 60
        while self.js("document.readyState + location.href").find("complete" + address.split("#")[0]) != 0:
            if time.monotonic() > end:
                sys.exit(f"{address} did not load in a minute")
            time.sleep(0.05)

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def key(self, key, text=None):
        codes = {"Escape": 27, "Enter": 13}
        common = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()) if key != "/" else 191)}
        text = text or ("\r" if key == "Enter" else key if len(key) == 1 else None)
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)
        self.js("new Promise((done) => setTimeout(done, 20))")

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def scheme(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def shot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def complaints(self):
        """What the console was told, and every request that left the file."""
        bad, asked = [], []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                bad.append(params["exceptionDetails"].get("text", "exception"))
            elif method == "Runtime.consoleAPICalled":
                bad.append(str(params["args"]))
            elif method == "Log.entryAdded":
                bad.append(params["entry"]["text"])
            elif method == "Page.javascriptDialogOpening":
                bad.append("a dialog: " + params.get("message", ""))
            elif method == "Network.requestWillBeSent":
                asked.append(params["request"]["url"])
        return bad, asked

    def close(self):
        self.process.kill()
        self.process.wait()
        self.profile.cleanup()


def pdf_text(data):
    """The text of a PDF as Chromium's Skia writes them: glyph numbers, told by each font's ToUnicode table."""
    objects = {}
    for match in re.finditer(rb"(\d+) 0 obj\b(.*?)\bendobj", data, re.S):
        objects[int(match[1])] = match[2]

    def stream(body):
        found = re.search(rb"stream\r?\n(.*?)\r?\nendstream", body, re.S)
        if not found:
            return b""
        return zlib.decompress(found[1]) if b"FlateDecode" in body else found[1]

    def table(number):
        body = objects.get(number, b"")
        unicode = re.search(rb"/ToUnicode (\d+) 0 R", body)
        text = stream(objects.get(int(unicode[1]), b"")).decode("latin-1") if unicode else ""
        glyphs = {}
        word = lambda hexed: bytes.fromhex(hexed).decode("utf-16-be", "replace")
        for block in re.findall(r"beginbfchar(.*?)endbfchar", text, re.S):
            for glyph, to in re.findall(r"<(\w+)>\s*<(\w+)>", block):
                glyphs[int(glyph, 16)] = word(to)
        for block in re.findall(r"beginbfrange(.*?)endbfrange", text, re.S):
            for first, last, to in re.findall(r"<(\w+)>\s*<(\w+)>\s*<(\w+)>", block):
                for step in range(int(last, 16) - int(first, 16) + 1):
                    glyphs[int(first, 16) + step] = chr(int(to, 16) + step)
        return glyphs

    pages, text, tables = 0, [], {}
    for body in objects.values():
        if not re.search(rb"/Type\s*/Page\b", body):
            continue
        pages += 1
        fonts = {name: int(number) for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", body)}
        for number in re.findall(rb"/Contents (\d+) 0 R", body):
            glyphs = {}
            for part in re.finditer(rb"/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>", stream(objects[int(number)])):
                if part[1]:
                    font = fonts.get(part[1])
                    glyphs = tables.setdefault(font, table(font)) if font else {}
                else:
                    hexed = part[2].decode()
                    text += [glyphs.get(int(hexed[i:i + 4], 16), "") for i in range(0, len(hexed), 4)]
    # Where lines break is the printer's affair.
    return pages, re.sub(r"\s+", "", "".join(text))


GROUPS = "Array.from(document.querySelectorAll('details.group')).filter((one) => !one.hidden)"
HERE = "(document.activeElement.closest('details') || {id: ''}).id"


def check(address, words):
    browser = Browser()
    browser.size(1280, 900)
    browser.open(address)
    out = {"groups": browser.js(GROUPS + ".length"), "open": browser.js(GROUPS + ".filter((one) => one.open).length")}
    out["form"] = browser.js("!document.getElementById('filter').hidden")

    browser.key("j")
    out["j"] = browser.js(HERE)
    browser.key("j")
    out["jj"] = browser.js(HERE)
    browser.key("k")
    out["jjk"] = browser.js(HERE)
    browser.key("Enter")
    out["enter"] = browser.js("document.activeElement.closest('details').open")
    browser.key("/")
    out["slash"] = browser.js("document.activeElement.id")
    for letter in words["filter"]:
        browser.key(letter)
    out["filtered"] = browser.js(GROUPS + ".map((one) => one.id)")
    out["count"] = browser.js("document.getElementById('filter-count').textContent")
    browser.key("Escape")
    out["cleared"] = browser.js(GROUPS + ".length")
    select = ("(() => {{ const one = document.getElementById('{}'); one.value = '{}';"
              " one.dispatchEvent(new Event('input', {{bubbles: true}})); }})()")
    for name, value in (("verdict", words["verdict"]), ("topic", words["topic"]), ("node", words["node"])):
        browser.js(select.format("filter-" + name, value))
        out["by_" + name] = browser.js(GROUPS + ".map((one) => one.id)")
        out["rows_by_" + name] = browser.js("Array.from(document.querySelectorAll('table.found tbody tr'))"
                                            ".filter((one) => !one.hidden).map((one) => one.dataset.node)")
        browser.js(select.format("filter-" + name, ""))
    theme = browser.js("getComputedStyle(document.body).backgroundColor")
    browser.key("t")
    out["theme_turns"] = theme != browser.js("getComputedStyle(document.body).backgroundColor")

    browser.open(address + "#" + words["link"])
    out["link_open"] = browser.js(f"document.getElementById('{words['link']}').open")
    row = browser.js("document.querySelector('table.found tr[id]').id")
    browser.open(address + "#" + row)
    out["row_open"] = browser.js(f"document.getElementById('{row}').closest('details').open")
    out["row_seen"] = browser.js(f"(() => {{ const at = document.getElementById('{row}').getBoundingClientRect();"
                                 " return at.top >= 0 && at.bottom <= innerHeight + 1; })()")
    for width in (1280, 390):
        browser.size(width, 900)
        out[f"overflow_{width}"] = browser.js(
            "Math.max(0, document.documentElement.scrollWidth - innerWidth)")
    browser.size(1280, 900)
    browser.open(address)
    out["pages"], text = pdf_text(browser.pdf())
    out["printed"] = {word: re.sub(r"\s+", "", word) in text for word in words["printed"]}
    # Without a script the page must print and read as well.
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.call("Page.reload")
    time.sleep(1)
    out["pages_without_script"], text = pdf_text(browser.pdf())
    out["printed_without_script"] = {word: re.sub(r"\s+", "", word) in text for word in words["printed"]}
    out["console"], asked = browser.complaints()
    out["asked"] = sorted({one for one in asked if not one.startswith("file:") and one != "about:blank"})
    browser.close()
    print(json.dumps(out))


def shots(address, prefix):
    browser = Browser()
    for width, height in ((1280, 1000), (390, 844)):
        for scheme in ("light", "dark"):
            browser.size(width, height)
            browser.scheme(scheme)
            for part in ("top", "findings", "matrix", "inventory"):
                browser.open(address + ("" if part == "top" else "#" + part))
                if part == "findings":
                    browser.js("(() => { const one = document.querySelector('details.group'); if (one) one.open = true; })()")
                if part == "inventory":
                    browser.js("(() => { const one = document.querySelector('details.node'); if (one) { one.open = true;"
                               " one.querySelectorAll('details.sheet').forEach((d, i) => { d.open = i < 9; }); } })()")
                browser.shot(f"{prefix}-{width}-{scheme}-{part}.png")
    browser.close()


if __name__ == "__main__":
    mode, file, more = sys.argv[1:4]
    address = pathlib.Path(file).resolve().as_uri()
    if mode == "check":
        check(address, json.loads(pathlib.Path(more).read_text()))
    else:
        shots(address, more)
