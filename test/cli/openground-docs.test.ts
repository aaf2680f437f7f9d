import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCommands } from '../../src/cli/commands/all.ts'
import { settings } from '../../src/config/setting.ts'

const commands = await loadCommands()

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/parity/openground.md'), 'utf8')

const upstream = [
  'version',
  'add',
  'update',
  'extract-sitemap',
  'extract-git',
  'embed',
  'query',
  'list-libraries',
  'ls',
  'list-raw-libraries',
  'remove',
  'rm',
  'install-mcp',
  'config show',
  'config set',
  'config get',
  'config path',
  'config reset',
  'nuke all',
  'raw_data',
  'embeddings',
  'stats show',
  'stats reset',
]
const numbers = [
  [1, 19],
  [20, 27],
  [30, 42],
  [50, 58],
  [60, 64],
] as const

test('docs/parity/openground.md lists every command, setting and weakness, and names only existing tests', () => {
  for (const name of upstream) expect(page).toContain(`\`${name}`)
  for (const { key } of settings) {
    const isUpstream =
      !/engine|model_dir|base_url|api_key|parallel_requests|token_limit|^(store|mcp)\./.test(key)
    if (isUpstream) expect(page).toContain(key.replace(/^embeddings\./, ''))
  }
  for (const [from, to] of numbers) {
    for (let n = from; n <= to; n++) {
      expect(page).toContain(`\n| W-${String(n).padStart(2, '0')} | `)
    }
  }
  for (const [path] of page.matchAll(/test\/[\w/-]+\.test\.ts/g)) {
    expect([path, existsSync(join(root, path))]).toEqual([path, true])
  }
})

test('every command that the page calls same or better exists', () => {
  const rows = [...page.matchAll(/^\| `([a-z][a-z -]*[a-z])[` ].*?\| (same|better|different) \|/gm)]
  const names = new Set(commands.flatMap(({ name, aliases }) => [name, ...aliases]))
  const words = (typed: string) => typed.split(' ').filter((word) => !/^-|^[A-Z]/.test(word))
  const missing = rows
    .map(([, typed]) => words(typed!).join(' '))
    .filter((name) => {
      return !names.has(name) && name !== 'openground-mcp'
    })
  expect(rows.length).toBeGreaterThan(15)
  expect(missing).toEqual([])
})

test('a test that proves a weakness fixed has the number of the weakness in its name', () => {
  const rows = [...page.matchAll(/^\| (W-\d\d) \| .* \| (.*) \|$/gm)]
  const unnamed = rows.flatMap(([, id, shownBy]) => {
    const paths = [...shownBy!.matchAll(/test\/[\w/-]+\.test\.ts/g)].map(([path]) => path)
    const lacking = paths.filter((path) => !readFileSync(join(root, path), 'utf8').includes(id!))
    return paths.length > 0 || id === 'W-54' ? lacking.map((path) => `${id} ${path}`) : [id!]
  })
  expect(rows.length).toBe(54)
  expect(unnamed).toEqual([])
})
