/** The folder in which the code runs. */
export const WORKING_DIRECTORY = '/home/user';

/** Name of the module that the prelude leaves in `sys.modules`. */
export const PRELUDE_MODULE = '_millrace';

/**
 * Python that is loaded before any user's code. It imports what most code needs and defines `run`, which closes the
 * ways from Python to JavaScript, drops the package catalogue (its hints would refer to an installer that cannot work
 * here), runs the code, and returns the traceback of a failure, reduced to the user's own lines, or None.
 */
export const PRELUDE = `
import sys, types

module = types.ModuleType('${PRELUDE_MODULE}')
source = r'''
import ast, asyncio, collections, csv, datetime, inspect, io, itertools, json, linecache, math, os, random, re
import statistics, sys, traceback, types

FILE = 'code.py'
MAX_HEAD, MAX_TAIL = 2_000, 4_000

async def run(code):
    close_javascript()
    random.seed()
    sys.stdout.reconfigure(line_buffering=True, errors='replace')
    sys.stderr.reconfigure(line_buffering=True, errors='backslashreplace')
    stdout, stderr = sys.stdout, sys.stderr
    main = types.ModuleType('__main__')
    main.__file__ = FILE
    sys.modules['__main__'] = main
    linecache.cache[FILE] = (len(code), None, code.splitlines(True), FILE)
    try:
        compiled = compile(code, FILE, 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
        awaitable = eval(compiled, main.__dict__)
        if inspect.iscoroutine(awaitable):
            await awaitable
        return None
    except SystemExit as leaving:
        return None if leaving.code in (None, 0, False) else shorten(f'SystemExit: {leaving.code}')
    except BaseException as error:
        return describe(error)
    finally:
        for stream in {stdout, stderr, sys.stdout, sys.stderr}:
            try:
                stream.flush()
            except BaseException:
                pass

def describe(error):
    try:
        summary = traceback.TracebackException.from_exception(error, max_group_width=5, max_group_depth=3)
        keep_own_frames(summary, 8)
        return shorten(''.join(summary.format()).strip())
    except BaseException:
        return type(error).__name__

def keep_own_frames(summary, depth):
    if summary is None:
        return
    own = [frame for frame in summary.stack if frame.filename == FILE]
    summary.stack = traceback.StackSummary.from_list(own)
    if depth == 0:
        summary.__cause__ = summary.__context__ = summary.exceptions = None
        return
    for inner in (summary.__cause__, summary.__context__, *(summary.exceptions or ())):
        keep_own_frames(inner, depth - 1)

def shorten(text):
    if len(text) <= MAX_HEAD + MAX_TAIL:
        return text
    return text[:MAX_HEAD] + '\\n[…]\\n' + text[-MAX_TAIL:]

def close_javascript():
    import _pyodide._importhook as hook
    import pyodide.code, pyodide.ffi
    hook.jsfinder.jsproxies.clear()
    hook.REPODATA_PACKAGES_IMPORT_TO_PACKAGE_NAME = {}
    hook.add_note_to_module_not_found_error = lambda error: None
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not hook.jsfinder]
    for name in [name for name in sys.modules if name.partition('.')[0] in ('js', 'pyodide_js')]:
        del sys.modules[name]
    # asyncio.run asks this one for its settings.
    stand_in = types.ModuleType('pyodide_js._api')
    stand_in.config = types.SimpleNamespace(enableRunUntilComplete=True)
    sys.modules['pyodide_js._api'] = stand_in
    sys.modules['pyodide_js'] = types.ModuleType('pyodide_js')
    def run_program(*command, **options):
        raise PermissionError('No other program can be run here.')
    os.system = os.popen = run_program
    def run_js(code):
        raise PermissionError('JavaScript cannot be run here.')
    for holder in (pyodide.code, sys.modules.get('pyodide._run_js')):
        if holder is not None:
            holder.run_js = run_js
'''
exec(compile(source, '<prelude>', 'exec'), module.__dict__)
sys.modules['${PRELUDE_MODULE}'] = module
`;
