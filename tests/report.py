"""norn report: its data, that no part of a shader is parsed as HTML, that it stays small; with --browser, that headless Chromium
shows it without an error (skipped if it is missing). Usage: report.py [--browser] NORN SOURCE"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

arguments = [argument for argument in sys.argv[1:] if argument != '--browser']
norn, source = (os.path.realpath(path) for path in arguments)
failed = 0
SKIPPED = 77
MOST = 500  # bytes of a line that are shown


def check(condition, what):
    global failed
    if not condition:
        print('FAILED:', what)
        failed += 1


def run(*command, status=0):
    done = subprocess.run([norn, *command], capture_output=True, check=False)
    check(done.returncode == status, f'{command}: status {done.returncode}, not {status}: {done.stderr.decode()}')
    return done.stdout.decode(), done.stderr.decode()


def report(*command):
    return json.loads(run('report', '--format', 'json', *command)[0])


def write(name, content):
    with open(name, 'wb') as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return name


def page_data(page):
    """The data in a page, as a browser reads it."""
    start = page.index('<script type="application/json" id="data">') + len('<script type="application/json" id="data">')
    return json.loads(page[start:page.index('</script>', start)])


# What GLSL may contain, and what IR may contain.
HOSTILE_ASCII = '</script><script>document.documentElement.dataset.hostile = "yes"</script><!-- <img src=x onerror=alert(1)> &amp; \\u003c "'
HOSTILE = HOSTILE_ASCII + ' \u2028\u00e9'

SMALL = '''shader compute @small workgroup(1, 1, 1) {
  fau out: i64 @ 0
entry:
  %a = load.global.i32 fau.out
  %b = iadd.i32 %a, 5
  store.global.i32 %b, fau.out
  end
}
'''

VERTEX = '''shader vertex @vertex {
entry:
  %v = vertex_id
  %i = instance_id
  %place = load.attribute.f32.w4 %v, %i
  %color = load.attribute.f32.w4 %v, %i, index:1
  store.position.w4 %place
  store.varying.w4 %color
  end
}
'''


# --- Data ---

def check_texts(program, name):
    """Each text has a number for each of its values, the same for the same name."""
    number_of = {}
    for key in ('optimized', 'selected', 'allocated'):
        text = program[key]
        check(len(text['lines']) == len(text['from']) == len(text['values']) == text['total'], f'{name}: {key} has what belongs to each line')
        for line, values in zip(text['lines'], text['values']):
            names = re.findall(r'%(\w+)', line)
            check(len(names) == len(values), f'{name}, {key}: values of {line}')
            for shown, value in zip(names, values):
                known = program['names'][value]
                check(known is None or shown == known or re.fullmatch(re.escape(known) + r'_\d+', shown), f'{name}, {key}: {shown} is {known}')
                if shown == known:
                    check(number_of.setdefault(shown, value) == value, f'{name}: {shown} has one number')
    check(len(program['allocated']['code']) == program['code_count'] == len(program['code']), f'{name}: a line for each instruction')
    for inst, line in zip(program['code'], program['allocated']['code']):
        mnemonic = inst['text'].split('.')[0].split(' ')[0]
        check(re.search(rf'\b{mnemonic}\b', program['allocated']['lines'][line]), f"{name}: {inst['text']} is {program['allocated']['lines'][line]}")


def check_against_other_verbs(path):
    data = report(path)
    program = data['compilations'][0]['programs'][0]
    with open(path, encoding='utf-8') as file:
        lines = file.read().splitlines()
    check(data['ir']['total'] == len(data['ir']['lines']) == len(lines), f'{path}: lines of the text')
    for shown, line in zip(data['ir']['lines'], lines):
        check(shown == (line if len(line) <= MOST else line[:MOST] + '\u2026'), f'{path}: {line}')
    assembly = [line.strip() for line in run('compile', '--emit', 'asm', path)[0].splitlines() if line and not line.endswith(':')]
    check([inst['text'] for inst in program['code']] == assembly, f'{path}: the code')
    figures = json.loads(run('stats', '--format', 'json', path)[0])['programs'][0]
    check(all(program['figures'][key] == value for key, value in figures.items() if key not in ('file', 'part')), f'{path}: the figures')
    check(program['summary'] == run('stats', path)[0], f'{path}: the summary')
    allocated = run('compile', '--emit', 'ir', path)[0].splitlines()
    check(program['allocated']['lines'] == allocated, f'{path}: the allocated code')
    for inst in program['code']:
        check(1 <= inst.get('line', 1) <= len(lines), f"{path}: the line of {inst['text']}")
    check_texts(program, path)


def check_examples():
    operations = report(os.path.join(source, 'examples', 'saxpy.norn'))['operations']
    check('one rounding' in operations.get('fma', '') and 'load.global' in operations and 'fmul' not in operations, f'operations: {sorted(operations)}')
    for name in ('saxpy', 'mandelbrot', 'phong'):
        check_against_other_verbs(os.path.join(source, 'examples', name + '.norn'))
    for name in ('matmul', 'sha256'):
        check_against_other_verbs(os.path.join(source, 'bench', 'kernels', name + '.norn'))
    saxpy = report(os.path.join(source, 'examples', 'saxpy.norn'))['compilations'][0]['programs'][0]
    blocks = saxpy['blocks']
    check([block['name'] for block in blocks] == ['entry', 'body', 'done'], 'names of blocks')
    check((blocks[0]['next'], blocks[0]['target'], blocks[1]['next'], 'next' in blocks[2], blocks[2]['ends']) == (1, 2, 2, False, 1), 'edges')
    check([inst.get('slot') for inst in saxpy['code']].count(0) == 3, 'slots of messages')
    check(saxpy['code'][5]['stall'][1] > 0, 'the second load waits for messages')
    names = {saxpy['names'][value] for value in saxpy['allocated']['values'][saxpy['allocated']['code'][6]]}
    check(saxpy['titles'][saxpy['code'][6]['name']] == 'Fused multiply-add', 'what an instruction does')
    check(names == {'r', 'xv', 'yv'}, f'values of the FMA: {names}')
    spilled = report('--chaos=spill', os.path.join(source, 'bench', 'kernels', 'matmul.norn'))['compilations'][0]['programs'][0]
    check(spilled['spilled_count'] == len(spilled['figures']['spilled']) > 0, 'spilled values')
    check(any(inst.get('origin') == 'fills' for inst in spilled['code']), 'fills')
    executed = report('--run', os.path.join(source, 'examples', 'saxpy.norn'))['compilations'][0]['programs'][0]
    check(executed['code'][0]['executed']['issues'] > 1 and executed['figures']['executed'] > 9, 'a run')
    vertex = report(write('vertex.norn', VERTEX))['compilations'][0]['programs']
    check([program['part'] for program in vertex] == ['position', 'varyings'], 'programs of a vertex shader')


# --- Calls ---

def check_calls():
    small = write('small.norn', SMALL)
    data = report(small, '--against=-O0 --arch=11')
    check([self['options'] for self in data['compilations']] == ['', '--arch=11 -O0'], 'two compilations')
    check([self['programs'][0]['architecture'] for self in data['compilations']] == ['9', '11'], 'their architectures')
    check(data['better'] | {'threads': 1, 'instructions': -1} == data['better'], 'what is better')
    for against, message in (('other.norn', "expected options, found 'other.norn'"), ('-O7', 'from 0 to 3, found 7'), ("'", '--against:'),
                             ('--wrong', 'Unknown option')):
        error = run('report', small, '--against', against, status=2)[1]
        check(message in error, f'--against {against}: {error}')
    check('--against: ' in run('report', small, '--against=--limit-code=8', status=1)[1], 'what cannot be compiled the other way')
    for wrong in (['--lines=0', small], ['--trips=0', small], [], [small, small]):
        run('report', *wrong, status=2)
    write('wrong.norn', SMALL.replace('%b, fau', '%c, fau'))
    check('wrong.norn:6:' in run('report', 'wrong.norn', status=1)[1], 'a wrong shader')
    page, _ = run('report', '-o', 'small.html', small)
    check(page == '' and os.path.getsize('small.html') < 200000, 'a page in a file')
    left = report('--lines=2', small)
    program = left['compilations'][0]['programs'][0]
    check(len(left['ir']['lines']) == 2 and left['ir']['total'] == 8, 'texts are cut')
    check(len(program['code']) == 2 and program['code_count'] > 2, 'code is cut')
    lines = ''.join(f'  %v{i} = iadd.i32 %v{i - 1}, %v{max(i - 2, 0)}\n' for i in range(1, 20000))
    write('large.norn', SMALL.replace('  %b = iadd.i32 %a, 5\n', '  %v0 = iadd.i32 %a, 5\n' + lines + '  %b = iadd.i32 %v19999, 1\n'))
    run('report', '-o', 'large.html', 'large.norn')
    check(os.path.getsize('large.html') < 8_000_000, 'a page of a large shader is small')
    long = 'x' * 100000
    write('long.norn', SMALL.replace('%b', '%' + long) + '; ' + long)
    run('report', '-o', 'long.html', 'long.norn')
    check(os.path.getsize('long.html') < 200000, 'a page of long names is small')


# --- Hostile input ---

def glsl(text, debug='-g'):
    """A module compiled from GLSL that contains its source, or None; with -gVS, as debug instructions."""
    if not shutil.which('glslangValidator'):
        return None
    write('source.comp', text)
    subprocess.run(['glslangValidator', debug, '-V', 'source.comp', '-o', 'source.spv'], check=True, capture_output=True)
    return 'source.spv'


def check_page(path, *options):
    """The page contains the data, and nothing else of the shader."""
    page, _ = run('report', *options, path)
    check(page_data(page) == report(*options, path), f'{path}: the page has the data')
    check(page.count('</script') == 2 and page.count('<!--') == 0, f'{path}: nothing of the shader ends the data')
    start = page.index('id="data">') + len('id="data">')
    check(not set('<>&') & set(page[start:page.index('</script>', start)]), f'{path}: what HTML reads in the data')
    check(not re.search(r'https?://(?!www\.w3\.org/2000/svg)|\bsrc=|<link', page[:start]), f'{path}: nothing is loaded')
    return page


def check_source(spirv, debug):
    check_page(spirv)
    data = report(spirv)
    source = (data['source'] or {'lines': []})['lines']
    check(f'/* {HOSTILE_ASCII} */' in source, f'{debug}: the source as it is')
    product = next(i for i, line in enumerate(data['ir']['lines']) if 'imul' in line)
    line = data['ir']['from'][product]
    check(line <= len(source) and source[line - 1] == '  value[2] = old * 3;', f'{debug}: the line of the source')
    stores = [inst for inst in data['compilations'][0]['programs'][0]['code'] if inst['text'].startswith('STORE')]
    line = data['ir']['from'][stores[0]['line'] - 1] if stores else 0
    check(line and line <= len(source) and source[line - 1] == '  value[2] = old * 3;', f'{debug}: from code to source')


def check_hostile():
    text = SMALL.replace('entry:\n', f'entry: ; {HOSTILE}\n') + f'; {HOSTILE}\n'
    check_page(write('hostile.norn', text))
    check_page(write('<b onclick=x>&"\'.norn', SMALL))
    check(report('hostile.norn')['ir']['lines'][2] == f'entry: ; {HOSTILE}', 'hostile text as it is')
    broken = write('bytes.norn', SMALL.encode() + b'; \xff\xfe \x01\x02 \xc3\n')
    check('\ufffd' in report(broken)['ir']['lines'][-1], 'what is no UTF-8')
    check_page(broken)
    for debug in ('-g', '-gVS'):
        spirv = glsl(f'#version 450\n/* {HOSTILE_ASCII} */\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer Data {{ int value[]; }};\n'
                     'void main() {\n  int old = value[3];\n  value[2] = old * 3;\n}\n', debug)
        if not spirv:
            return
        check_source(spirv, debug)


# --- In a browser ---

PROBE = '''<script>
const result = {};
result.rows = document.querySelectorAll('#pane-code .row[data-index]').length;
result.blocks = document.querySelectorAll('#graph .block').length;
result.bars = document.querySelectorAll('#timeline .bar').length;
result.cards = document.querySelectorAll('.card').length;
result.pressure = document.querySelectorAll('#pressure-chart .area').length;
result.code = program().code.length;
result.wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
for (const key of Object.keys(listing.panes)) if (!open[key]) toggle(key);
result.panes = document.querySelectorAll('.pane:not([hidden])').length;
const height = document.querySelector('main').offsetHeight;
const token = document.querySelector('#pane-code [data-value]');
if (token) {
  token.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));
  result.hits = new Set([...document.querySelectorAll('.hit')].map((hit) => hit.closest('.pane').id)).size;
  token.click();
  result.pinned = document.querySelectorAll('.pinned').length;
}
const send = (key, target) => target.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
send('Escape', document.body);
result.released = document.querySelectorAll('.pinned, .hit, .linked').length;
const list = listing.panes.code.list;
send('ArrowDown', list);
result.cursor = list.getAttribute('aria-activedescendant');
result.linked = document.querySelectorAll('.linked').length;
result.detail = document.getElementById('detail').textContent;
send('Enter', document.querySelector('#graph .block') || document.body);
result.current = document.querySelectorAll('#graph .current').length;
result.jumps = document.querySelector('main').offsetHeight !== height;
for (const button of document.querySelectorAll('button')) button.click();
result.hostile = document.documentElement.dataset.hostile || document.images.length;
result.ready = document.documentElement.dataset.ready;
document.documentElement.dataset.result = JSON.stringify(result);
</script></body>'''


def load(browser, name, width):
    """The page after its scripts have run, and their errors."""
    command = [browser, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', f'--user-data-dir={os.getcwd()}/profile',
               f'--window-size={width},900', '--enable-logging=stderr', '--dump-dom', f'file://{os.getcwd()}/{name}']
    done = subprocess.run(command, capture_output=True, check=False, timeout=300)
    console = [line for line in done.stderr.decode(errors='replace').splitlines() if 'CONSOLE' in line]
    return done.stdout.decode(errors='replace'), console


def browse(browser, path, width):
    """The result of a probe in the page."""
    with open(path, encoding='utf-8') as file:
        page = file.read()
    write('probe.html', page.replace('</body>', PROBE))
    dom, console = load(browser, 'probe.html', width)
    check(not console, f'{path}: {console}')
    found = re.search(r'data-result="([^"]*)"', dom)
    check(found, f'{path}: the scripts ran to their end')
    return json.loads(found[1].replace('&quot;', '"').replace('&amp;', '&')) if found else None


def check_in_browser(browser, path, width, panes):
    result = browse(browser, path, width)
    if not result:
        return
    shown = f'{path} at {width}: {result}'
    check(result['ready'] == 'yes' and not result['hostile'], f'{shown}: ready, and nothing of the shader ran')
    check(result['rows'] == result['code'] > 0 and result['blocks'] > 0 and result['bars'] >= result['code'], f'{shown}: code, graph, timeline')
    check(result['cards'] >= 6 and result['pressure'] == 1 and result['panes'] == panes, f'{shown}: summary, chart, columns')
    check(result['hits'] >= 3 and result['pinned'] == 1 and result['released'] == 0, f'{shown}: a value in several columns')
    check(result['cursor'] == 'code-0' and result['linked'] >= 1 and re.match(r'Instruction 0, \w+[.\w]* \(\w.*\): ', result['detail']), f'{shown}: keys')
    check(result['current'] == 1, f'{shown}: a block that is chosen')
    check(not result['jumps'] and not result['wide'], f'{shown}: nothing jumps, and nothing is wider than the window')


def check_browser():
    browser = next(filter(None, map(shutil.which, ('chromium-headless-shell', 'chromium', 'google-chrome'))), None)
    if not browser:
        print('there is no Chromium')
        sys.exit(SKIPPED)
    write('plain.html', '<!doctype html><p id="here"></p><script>document.getElementById("here").dataset.done = "yes"</script>')
    if 'data-done="yes"' not in load(browser, 'plain.html', 800)[0]:
        print(f'{browser} does not work here')
        sys.exit(SKIPPED)
    write('hostile.norn', SMALL.replace('entry:\n', f'entry: ; {HOSTILE}\n'))
    run('report', '-o', 'hostile.html', 'hostile.norn')
    run('report', '-o', 'matmul.html', '--against=-O0', '--chaos=spill', os.path.join(source, 'bench', 'kernels', 'matmul.norn'))
    run('report', '-o', 'vertex.html', write('vertex.norn', VERTEX))
    for path, width in (('hostile.html', 400), ('matmul.html', 1600), ('matmul.html', 400), ('vertex.html', 1000)):
        check_in_browser(browser, path, width, 5)
    spirv = glsl(f'#version 450\n/* {HOSTILE_ASCII} */\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer Data {{ int value[]; }};\n'
                 'void main() {\n  value[2] = value[3] * 3;\n}\n')
    if spirv:
        run('report', '-o', 'spirv.html', spirv)
        check_in_browser(browser, 'spirv.html', 1600, 6)


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    if '--browser' in sys.argv:
        check_browser()
    else:
        check_examples()
        check_calls()
        check_hostile()
    os.chdir('/')
sys.exit(1 if failed else 0)
