import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { OgError } from '../../src/platform/error.ts'
import { version } from '../../package.json'
import { openHome, type TempHome, type RunOptions } from '../support/run-og.ts'
import { homePaths } from '../support/run/home-paths.ts'

type Expected = { code?: number; stdout?: string | RegExp; stderr?: string | RegExp }

async function check(home: TempHome, typed: string[], expected: Expected, options?: RunOptions) {
  const ran = await home.run(typed, options)
  const { code = 0, stdout = '', stderr = '' } = expected
  const matches = (text: string, wanted: string | RegExp) =>
    typeof wanted === 'string' ? expect(text).toBe(wanted) : expect(text).toMatch(wanted)
  matches(ran.stderr, stderr)
  matches(ran.stdout, stdout)
  expect(ran.code).toBe(code)
}

const page = '# Widgets\n\nA widget turns left.\n\n## Gears\n\nGears turn \x1b[31mright.\n'
const shown = page.replace('\x1b', '\\u001b')

function withPages(home: TempHome): string {
  const folder = join(home.path, 'docs')
  mkdirSync(folder)
  writeFileSync(join(folder, 'widgets.md'), page)
  return folder
}

test('help, version and typos work without a store', async () => {
  using home = openHome()
  await check(home, [], { stdout: /^og: search .*\n\nUsage: og COMMAND/ })
  await check(home, ['--help'], { stdout: /\n {2}query +search the indexed/ })
  await check(home, ['help', '--all'], { stdout: /\nMaintenance:\n[^]*\n {2}nuke all +delete/ })
  await check(home, ['query', 'x', '--help'], { stdout: /^Usage: og query TEXT… \[OPTIONS\]\n/ })
  await check(home, ['help', 'add'], { stdout: /^Usage: og add \[LIBRARY\]/ })
  await check(home, ['memory'], { stdout: /^(?!.*memory schemas).*"og memory --all" lists/s })
  for (const typed of [['--all'], ['--help', '--all'], ['-h', '--all']]) {
    await check(home, ['memory', ...typed], { stdout: /\n {2}memory schemas +print/ })
  }
  await check(home, ['help', 'memory', '--all'], { stdout: /\n {2}memory schemas +print/ })
  await check(home, ['config'], { stdout: /config reset {2}delete config.json\n$/ })
  await check(home, ['--version'], { stdout: `${version}\n` })
  await check(home, ['version'], { stdout: `${version}\n` })
  await check(home, ['qeury', 'x'], {
    code: 2,
    stderr: 'error: Unknown command "qeury"\nhint: did you mean "query"?\n',
  })
  await check(home, ['uninstall'], {
    code: 2,
    stderr: /hint: "og remove LIBRARY" deletes a library/,
  })
  await check(home, ['memory', 'forget', 'x'], { code: 2, stderr: /--corrects ENTRY` retires an/ })
  await check(home, ['--versoin'], {
    code: 2,
    stderr: 'error: Unknown option "--versoin"\nhint: did you mean "--version"?\n',
  })
  await check(home, ['config', 'sett'], { code: 2, stderr: /did you mean "config set"/ })
  for (const [typed, meant] of [
    ['get', '"memory read"'],
    ['serach', '"memory search"'],
    ['show', '"memory read" or "memory list"'],
  ]) {
    await check(home, ['memory', typed!, 'x'], {
      code: 2,
      stderr: `error: Unknown command "memory ${typed}"\nhint: did you mean ${meant}?\n`,
    })
  }
  await check(home, ['memory', 'constructor'], { code: 2, stderr: /see "og memory --help"\n$/ })
})

test('add, query, get, list and remove keep their output format', async () => {
  using home = openHome()
  const folder = withPages(home)
  const url = `file://${folder}/widgets.md`
  await check(home, ['add', 'Demo', '-s', folder, '-v', '1.10', '-y', '-f', 'x'], {
    stdout: /^Demo 1\.10: added\n {2}pages {4}1 \(1 added, 0 modified, 0 deleted, 0 unchanged\)\n/,
    stderr: 'warning: --filter-keyword has no effect on this source\n',
  })
  await check(home, ['add', 'Demo', '-s', folder, '-v', '1.10', '--json'], {
    stdout: /"status": "unchanged"/,
  })
  await check(home, ['query', 'gears', 'turn', '-l', 'demo', '-v', '1.10'], {
    stdout: /^Found 1 match in Demo 1\.10\. .*\n1\. Widgets \[/,
  })
  await check(home, ['query', 'gears', '--json'], {
    stdout: /^\{\n +"query": "gears",\n +"library": null,\n +"version": null,\n +"hits": \[/,
  })
  await check(home, ['query', 'zebra', '-l', 'demo'], { code: 1, stdout: 'Found 0 matches.\n' })
  await check(home, ['query', 'x', '-l', 'dmeo'], { code: 2, stderr: /^error: .*"dmeo"/ })
  await check(home, ['get', url], { stdout: shown })
  await check(home, ['get', url, '--lines', '3-3'], { stdout: 'A widget turns left.\n' })
  const exact = ['get', url, '--format', 'agent']
  await check(home, exact, { stdout: shown }, { tty: true })
  await check(home, ['get', 'file:///nowhere'], { code: 1, stderr: /^error: No page has the/ })
  await check(home, ['list', '--json'], {
    stdout: new RegExp(
      '^\\[\\n  \\{\\n    "library": "Demo",\\n    "version": "1.10",\\n    "pages": 1,\\n' +
        `    "chunks": 1,\\n    "source": "${folder}",\\n    "ref": null,\\n` +
        '    "commit": null,\\n' +
        '    "indexed_at": "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z",\\n    "bytes": \\d+,\\n' +
        '    "previous_bytes": 0,\\n    "stale": \\[\\],\\n    "pack": null,\\n' +
        '    "incomplete": null,\\n    "tag": null\\n  \\}\\n\\]\\n$',
    ),
  })
  await check(home, ['ls'], { stdout: /^LIBRARY +VERSION .*\nDemo +1\.10 +1 +1 / })
  await check(home, ['__complete', '--', 'query', '-l', 'd'], { stdout: 'Demo\t\n' })
  await check(home, ['__complete', '--', 'rm', 'demo', '--version='], {
    stdout: '--version=1.10\t\n',
  })
  await check(home, ['remove', 'demo', '-v', '1.1'], { code: 2, stderr: /mean "1\.10"\?/ })
  await check(home, ['remove', 'demo', '-v', '1.10'], { code: 2, stderr: /hint: pass --yes/ })
  const ask = { tty: true, stdin: 'n\n', env: { NO_COLOR: '1' } }
  await check(home, ['rm', 'demo', '-v', '1.10'], { code: 1, stderr: /Nothing was changed/ }, ask)
  await check(home, ['rm', 'demo', '-v', '1.10', '-y'], {
    stderr: 'Deleted Demo 1.10 (1 page, 1 chunk).\n',
  })
  for (const version of ['1', '2']) await home.run(['add', 'Demo', '-s', folder, '-v', version])
  await check(home, ['rm', 'demo'], { code: 2, stderr: /has 1, 2; --all removes all of them/ })
  await check(home, ['rm', 'demo', '--all', '-v', '1'], { code: 2, stderr: /^error: Cannot/ })
  await check(home, ['rm', 'demo', '--all', '-y', '--json'], {
    stdout: /"version": "1"[^]*"version": "2"/,
    stderr: /^Deleted Demo 1 .*\nDeleted Demo 2 .*\n$/,
  })
  await check(home, ['list', 'demo'], {
    code: 2,
    stderr:
      'error: Unexpected "demo" after "og list"\n' +
      'hint: og list --search demo lists the libraries with this name, ' +
      'og get demo the pages of one\n',
  })
  await check(home, ['list'], { stderr: /^No libraries found\./ })
  await check(home, ['list', '--json'], { stdout: '[]\n' })
})

test('prints one line of output for each line of stdin', async () => {
  using home = openHome()
  await home.run(['add', 'demo', '-s', withPages(home)])
  const { code, stdout } = await home.run(['query', '-', '--jsonl'], {
    stdin: 'gears\n\nzebra "*:(\nwidget',
  })
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(answers.map(({ query, hits }) => [query, hits.length])).toEqual([
    ['gears', 1],
    ['', 0],
    ['zebra "*:(', 0],
    ['widget', 1],
  ])
  expect(code).toBe(1)
  await check(home, ['query', '-', '--json'], { code: 2, stderr: /use --jsonl/ })
})

test('reports a user error in one line', async () => {
  using home = openHome()
  await check(home, ['add', 'demo'], { code: 2, stderr: /^error: Cannot add "demo"[^\n]*\nhint: / })
  await check(home, ['add', 'demo', '-s', '/nowhere/at/all'], { code: 2, stderr: /^error: / })
  await check(
    home,
    ['list'],
    { code: 2, stderr: /for query\.top_k \(from OG_QUERY__TOP_K\)/ },
    { env: { OG_QUERY__TOP_K: 'many' } },
  )
})

test('reports an internal error, and prints its stack only on request', async () => {
  using home = openHome()
  const fault = new TypeError('x is not a function')
  const told = /^error: internal: x is not a function\nhint: /
  await check(home, ['list'], { code: 2, stderr: told }, { fault })
  const env = { OG_DEBUG: '1' }
  await check(
    home,
    ['list'],
    { code: 2, stderr: /^error: internal: .*\nTypeError[^]*\n +at / },
    { fault, env },
  )
})

test("reports disk and permission errors with the system's message", async () => {
  using home = openHome()
  const fault = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  await check(home, ['list'], { code: 2, stderr: `error: ${fault.message}\n` }, { fault })
})

test('reports the interruption after Ctrl-C instead of the errors it causes', async () => {
  using home = openHome()
  const signal = AbortSignal.abort(new OgError('Interrupted', { exitCode: 130 }))
  const fault = new Error('the stream is closed')
  await check(home, ['list'], { code: 130, stderr: 'error: Interrupted\n' }, { fault, signal })
})

test('a broken config file stops queries, but not the config commands (W-31)', async () => {
  using home = openHome()
  const file = join(home.path, homePaths.settings)
  await check(home, ['config', 'path'], { stdout: `${file}\n` })
  await check(home, ['config', 'set', 'query.top_k', '7'], { stderr: /^Set query\.top_k = 7\n/ })
  await check(home, ['config', 'get', 'query.top_k'], { stdout: '7\n' })
  await check(home, ['config', 'set', 'query.top_k', 'x'], { code: 2, stderr: /from 1 to 1000/ })
  await check(home, ['config', 'set', 'query.topk', '1'], { code: 2, stderr: /"query\.top_k"/ })
  await check(home, ['config', 'set', 'embeddings.chunk_size', '800'], { stderr: /stays unset\n$/ })
  writeFileSync(file, '{"query": ')
  await check(home, ['list'], { code: 2, stderr: /not valid JSON.*\nhint: .*og config reset/ })
  await check(home, ['config', 'show'], { stdout: /"top_k": 5/, stderr: /warning: Cannot read/ })
  await check(home, ['config', 'set', 'query.top_k', '3'], { stderr: /kept as .*\.broken/ })
  await check(home, ['config', 'get', 'query'], { stdout: '{\n  "top_k": 3\n}\n' })
  await check(home, ['config', 'reset'], { code: 2, stderr: /pass --yes/ })
  await check(home, ['config', 'reset', '-y'], { stderr: /^Config file deleted/ })
  await check(home, ['config', 'reset'], { stderr: /^No config file exists/ })
})

test('config show hides secrets', async () => {
  using home = openHome()
  const env = { OG_EMBEDDINGS__API_KEY: 'sk-1' }
  await check(home, ['config', 'show'], { stdout: /"api_key": "\*\*\*"/, stderr: /^Path/ }, { env })
})

test('on a terminal, diff and sources show coloured headings and wrap', async () => {
  using home = openHome()
  const folder = withPages(home)
  await home.run(['add', 'demo', '-s', folder, '-v', '1'])
  writeFileSync(join(folder, 'widgets.md'), `${page}\nGears ${'also '.repeat(60)}turn.\n`)
  await home.run(['add', 'demo', '-s', folder, '-v', '2'])
  const show = async (typed: string[]) => {
    const { stdout } = await home.run([...typed, '--no-pager'], { tty: true })
    const lines = Bun.stripANSI(stdout).split('\n')
    expect(lines.filter((line) => line.length > 100)).toEqual([])
    return stdout
  }
  const diff = await show(['diff', 'demo@1', 'demo@2'])
  expect(diff).toMatch(/^\x1b\[1mdemo 1 → demo 2: pages 0 added, 1 changed, 0 removed\x1b\[0m\n\n/)
  expect(diff).toContain('\x1b[1mwidgets.md  Widgets\x1b[0m\n    ~ Widgets > Gears\n')
  expect(await show(['diff', 'demo', '1', '2'])).toBe(diff)
  expect(await show(['diff', 'demo@1', '2'])).toBe(diff)
  expect(await show(['diff', 'demo', '1', '2', 'nowhere'])).toContain('pages 0 added, 0 changed')
  const stat = await home.run(['diff', 'demo', '1', '2', '--stat'])
  expect(stat.stdout).toEndWith('removed\n\n~ widgets.md ~1\n')
  mkdirSync(join(home.path, dirname(homePaths.sources)), { recursive: true })
  const entry = { type: 'git_repo', repo_url: 'https://git.example/demo.git' }
  writeFileSync(join(home.path, homePaths.sources), JSON.stringify({ demo: entry }))
  const sources = await show(['sources'])
  const own = sources.indexOf('sources.json\x1b[0m\n')
  expect(own).toBeGreaterThan(0)
  expect(sources.indexOf('\x1b[1mthe bundled list\x1b[0m\n')).toBeGreaterThan(own)
  const piped = await home.run(['sources'])
  expect(piped).toMatchObject({ code: 0, stderr: '' })
  expect(piped.stdout).toMatch(/^LIBRARY +SOURCE +FROM\n/)
})
