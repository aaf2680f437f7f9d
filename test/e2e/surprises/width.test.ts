/** Tests help, tables and the manual page on terminals of different widths. */
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderMan } from '../../../scripts/build/man.ts'
import { loadCommands } from '../../../src/cli/commands/all.ts'
import { createWorld, handbook, type World } from '../../support/e2e.ts'
import { onTerminal } from '../../support/executable/on-terminal.ts'
import { testWhere } from '../../support/where.ts'

const widths = [60, 80, 200]

/**
 * Checks that no line is wider than the terminal, except a single long word, and that no word of
 * the piped output is missing.
 */
async function check(world: World, args: string[]): Promise<void> {
  const { stdout } = await world.og(args)
  // If the cells of a row are printed below each other, the first cell has no heading.
  const [head = ''] = /^[A-Z]+ /.test(stdout) ? stdout.toLowerCase().split(' ') : []
  // On a terminal, og sources groups rows under the name of their file instead of a column FROM.
  const headings = [head, 'from']
  const wordsBut = (text: string) => wordsOf(text).filter((word) => !headings.includes(word))
  for (const columns of widths) {
    const { text } = await onTerminal(world, args, {
      columns,
      env: { NO_COLOR: '1', PAGER: 'cat' },
    })
    for (const line of text.split('\n')) {
      const longest = Math.max(...line.split(/\s+/).map((word) => word.length))
      if (longest < columns / 2) expect(line.length).toBeLessThanOrEqual(columns)
    }
    expect(wordsBut(text)).toEqual(wordsBut(stdout))
  }
}

/**
 * Returns sorted, unique words, because narrow tables split cells over several lines and repeat
 * their headings.
 */
function wordsOf(text: string): string[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '\\')
  return [...new Set(words)].sort()
}

test('help fits the width without breaking words', async () => {
  await using world = await createWorld()
  for (const args of [
    '--help',
    '',
    'query --help',
    'memory',
    'memory search --help',
    'add --help',
    'install-mcp --help',
  ])
    await check(
      world,
      args.split(' ').filter((word) => word !== ''),
    )
})

test('tables fit the width without breaking words', async () => {
  await using world = await createWorld()
  const env = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }
  await world.og(['add', 'kettle', '-s', handbook, '-v', '1'])
  const docs = join(world.folder, 'a-folder-with-a-name-that-is-long-enough-to-be-wide')
  mkdirSync(docs)
  writeFileSync(join(docs, 'a.md'), '# A\n\nText.\n')
  await world.og(['add', 'a', '-s', docs, '-v', '2.0.0-beta.12'])
  const entry = 'An entry with a dozen words that is wider than a table.'
  await world.og(['memory', 'write', entry], { env })
  for (const args of [
    'sources',
    'sources fastapi',
    'config show --origins',
    'memory list',
    'memory history',
  ])
    await check(world, [...args.split(' '), '--quiet'])
  for (const columns of [80, 100, 120]) {
    const { text } = await onTerminal(world, ['list', '--quiet'], { columns })
    const lines = text.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line.trimEnd().length).toBeLessThanOrEqual(columns)
    expect(lines[1]).toMatch(/^a {2,}2\.0\.0-beta\.12 .*….*wide\s*$/)
  }
})

const groff = Bun.which('groff') === null ? 'there is no groff' : null

testWhere(groff)('the man page fits the width without breaking words', async () => {
  const page = renderMan(await loadCommands())
  const drawnAt = (columns: number) => {
    const args = ['groff', '-Tascii', '-Kutf8', '-P-cbou', `-rLL=${columns}n`, '-man']
    return Bun.spawnSync(args, { stdin: Buffer.from(page) }).stdout.toString()
  }
  // The header, the footer and the characters that groff replaces depend on the width.
  const wide = new Set(wordsOf(drawnAt(200)))
  for (const columns of widths) {
    const text = drawnAt(columns)
    expect(text).toContain('EXIT STATUS')
    expect(wordsOf(text).filter((word) => !wide.has(word))).toEqual([])
    const long = text.split('\n').filter((line) => line.length > columns)
    expect(long.filter((line) => line.trim().includes(' '))).toEqual([])
  }
})
