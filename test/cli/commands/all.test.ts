import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { commandsOf, loadCommands } from '../../../src/cli/commands/all.ts'
import { completionAt } from '../../../src/cli/commands/system/complete.ts'
import { commit, writeFiles } from '../../support/repository.ts'
import { html, openSite, urlset } from '../../support/servers/site.ts'
import { openHome, type RunOptions } from '../../support/run-og.ts'
import { homePaths } from '../../support/run/home-paths.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const commands = await loadCommands()

const shown = commands.filter(({ hidden }) => !hidden)
const named = shown.map(({ name }) => name)

/**
 * Commands without --json: they print text for a protocol, or a shell, or always JSON.
 */
const withoutData = [
  'mcp',
  'open',
  'serve',
  'memory mcp',
  'memory serve',
  'memory schemas',
  'memory capture',
  'completion',
]
const at = (path: string) => join(home.path, path)

const home = disposeAfterAll(openHome())
const site = disposeAfterAll(openSite({ '/sitemap.xml': urlset('/a'), '/a': html('A') }))
writeFiles(home.path, { 'docs/a.md': '# Kettle\n\nIt boils.\n', 'empty/.keep': '' })
commit(at('repository'), { 'docs/a.md': '# Pot\n\nIt stews.\n' })
mkdirSync(at('project'))
const raw = at(`${homePaths.rawPages}/pan/latest`)
writeFiles(raw, { 'a.json': '{"url": "u:a", "library_name": "pan", "content": "# Pan"}' })
for (const text of ['It boils.', 'It boils over.']) {
  writeFiles(home.path, { 'docs/a.md': `# Kettle\n\n${text}\n` })
  await run('add kettle -v 1 --base-url https://a.example -s', at('docs'))
}

function run(typed: string, ...more: (string | RunOptions)[]) {
  const words = more.filter((one) => typeof one === 'string')
  const options = more.find((one) => typeof one === 'object')
  return home.run([...typed.split(' '), ...words], options)
}

/** One successful call per command, with deleting commands last. */
const successes: [typed: string, exitCode?: number][] = [
  ['add kettle -v 2 -s DIR/docs'],
  ['update kettle -v 1'],
  ['update --all'],
  ['query boils'],
  ['query boils --explain'],
  ['get https://a.example/a.md'],
  ['list'],
  ['diff kettle@1 kettle@2'],
  ['rollback kettle -v 1'],
  ['extract-sitemap -l cup -s URL/sitemap.xml'],
  ['extract-git -l pot -d docs -r file://DIR/repository'],
  ['embed pot'],
  ['list-raw-libraries'],
  ['import-raw'],
  ['install-mcp --cursor --dry-run'],
  ['sources'],
  ['sources fastapi'],
  ['sources trust DIR/project'],
  ['config path'],
  ['config show'],
  ['config show --origins'],
  ['config set query.top_k 7'],
  ['config get query.top_k'],
  ['config reset -y'],
  ['stats show'],
  ['stats reset -y'],
  ['version'],
  ['keys add ann --library * --keys-file DIR/keys.json'],
  ['keys list --keys-file DIR/keys.json'],
  ['keys remove ann --keys-file DIR/keys.json'],
  ['remove kettle -v 2 -y'],
  ['nuke raw_data -y'],
  ['nuke embeddings -y'],
  ['nuke all -y'],
]

test('every command that prints output supports --json (W-40)', async () => {
  const lacking = shown.filter(({ options }) => !('json' in options)).map(({ name }) => name)
  expect(lacking.sort()).toEqual(withoutData.toSorted())
  for (const [words] of successes) {
    const typed = words.replaceAll('DIR', home.path).replaceAll('URL', site.url)
    const { code, stdout, stderr } = await run(`${typed} --json --quiet --color always --no-input`)
    expect([typed, code, stderr.replaceAll(/^\x1b\[33mwarning.*\n/gm, '')]).toEqual([typed, 0, ''])
    const type = typed.startsWith('config get') ? 'number' : 'object'
    expect([typed, typeof JSON.parse(stdout)]).toEqual([typed, type])
    expect(stdout).not.toContain('\x1b')
  }
})

test('finds each command by its name, by its first word and by its aliases', async () => {
  for (const { name, aliases } of commands) {
    for (const words of [name.split(' '), [name.split(' ')[0]!], ...aliases.map((one) => [one])]) {
      const found = await commandsOf(words)
      expect([words, found.map((command) => command.name)]).toEqual([
        words,
        expect.arrayContaining([name]),
      ])
    }
  }
  expect(await commandsOf(['add kettle'])).toEqual([])
  expect(await commandsOf([])).toHaveLength(commands.length)
})

test('loads one module of the memory group for each of its commands', async () => {
  const names = shown.map(({ name }) => name).filter((name) => name.startsWith('memory '))
  const modules = await Promise.all(
    names.map(async (name) => {
      const loaded = await commandsOf(name.split(' '))
      return loaded.map((command) => command.name).join(', ')
    }),
  )
  expect([...new Set(modules)].flatMap((module) => module.split(', ')).sort()).toEqual(names.sort())
  expect(await commandsOf(['memory', 'kettle'])).toHaveLength(names.length)
})

test('every command has help, rejects unknown options and supports completion', async () => {
  for (const { name, positionals } of shown) {
    const help = await run(`${name} --help`)
    expect([help.code, help.stderr]).toEqual([0, ''])
    expect(help.stdout).toContain(`og ${name}`)
    const odd = await run(`${name} --no-such-option`)
    expect([name, odd.code, odd.stdout]).toEqual([name, 2, ''])
    expect(odd.stderr).toMatch(
      /^error: Unknown option "--no-such-option" of "og [^\n]*\nhint: .*\n$/,
    )
    const isNeeding = Object.values(positionals).some(({ optional }) => !optional)
    if (isNeeding) expect((await run(name)).stderr).toMatch(/^error: Missing [A-Z]+ of "og /)
    const [first, second] = name.split(' ')
    const offered = completionAt(commands, second ? [first!, ''] : [first!])
    expect('words' in offered && offered.words.map(([word]) => word)).toContain(second ?? first!)
  }
})

test('fails if there is no terminal to ask on, and changes nothing if the answer is no', async () => {
  const asking = [
    'remove pan -v 1',
    'nuke all',
    'nuke raw_data',
    'nuke embeddings',
    'stats reset',
    'config reset',
  ]
  await run('config set query.top_k 7')
  await run('add pan -v 1 -s', at('docs'))
  await run('extract-git -l pot -d docs -r', `file://${at('repository')}`)
  for (const typed of asking) {
    expect([typed, (await run(typed)).code]).toEqual([typed, 2])
    const closed = await run(`${typed} --no-input`, { tty: true, stdin: 'y\n' })
    expect([typed, closed.code]).toEqual([typed, 2])
    const declined = await run(typed, { tty: true, stdin: 'n\n' })
    expect([typed, declined.code, declined.stdout]).toEqual([typed, 1, ''])
  }
  const left: { library: string }[] = JSON.parse((await run('list --json')).stdout)
  expect(left.map(({ library }) => library)).toContain('pan')
})

test('exits with 1 or 2 and prints one line if something is missing or impossible', async () => {
  const failures: [typed: string, exitCode: number][] = [
    ['get https://a.example/none', 1],
    ['sources of-no-list', 1],
    ['remove none -v 1 -y', 2],
    ['add x -s DIR/none', 2],
    ['add x -s DIR/empty', 2],
    ['add ../x -s DIR/docs', 2],
    ['update none', 2],
    ['query x -l none', 2],
    ['diff none', 2],
    ['rollback none', 2],
    ['embed none', 2],
    ['extract-sitemap -s URL/none.xml', 2],
    ['watch none', 2],
    ['extract-git -d x -r file://DIR/repository', 2],
    ['config get none', 2],
    ['config set query.top_k none', 2],
    ['sources trust DIR/none', 2],
    ['completion tcsh', 2],
    ['import-raw none', 2],
    ['none', 2],
    ['config none', 2],
    ['install-mcp --none', 2],
  ]
  for (const [words, exitCode] of failures) {
    const typed = words.replaceAll('DIR', home.path).replaceAll('URL', site.url)
    const { code, stdout, stderr } = await run(typed)
    expect([typed, code, stdout]).toEqual([typed, exitCode, ''])
    const oneLine = expect.stringMatching(/^error: [^\n]+\n(hint: [^\n]+\n)?$/)
    expect([typed, stderr]).toEqual([typed, oneLine])
  }
  expect(named).toContain('watch')
})
