import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hookClients } from '../../src/cli/clients/hooks.ts'
import { loadCommands } from '../../src/cli/commands/all.ts'
import { helpText, renderHelp, splitGlobalOptions } from '../../src/cli/help.ts'
import { clients } from '../../src/cli/clients/client.ts'
import type { TerminalOptions } from '../../src/cli/terminal.ts'
import { openHome } from '../support/run-og.ts'

const commands = await loadCommands()

test('each section of docs/help.txt belongs to a command', () => {
  const text = readFileSync(join(import.meta.dir, '../../docs/help.txt'), 'utf8')
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name!)
  const names = commands.flatMap(({ name, brief }) => (brief ? [name, `${name}, brief`] : [name]))
  expect(sections.filter((name) => !names.includes(name))).toEqual([])
  expect(sections).toEqual([...new Set(sections)])
})

test('joins the lines of a paragraph, and ends a section at the next one', () => {
  const paragraphs = helpText('jobs').paragraphs
  expect(paragraphs).toHaveLength(2)
  expect(paragraphs[0]).toStartWith('A job is an "og add --detach" or')
  expect(paragraphs.join('')).not.toMatch(/\n|##/)
  expect(helpText('no such command').paragraphs).toEqual([])
  expect(helpText('jobs').examples[1]).toBe('og jobs fastapi --follow')
})

test('prints the brief paragraphs of a long help, and all of them on request', () => {
  const add = commands.find(({ name }) => name === 'add')!
  const [brief, whole] = [renderHelp(add), renderHelp(add, { isWhole: true })]
  const first = (text: string) => text.split(' ').slice(0, 5).join(' ')
  for (const paragraph of helpText('add').paragraphs) expect(whole).toContain(first(paragraph))
  for (const paragraph of helpText('add, brief').paragraphs)
    expect(brief).toContain(first(paragraph))
  expect(brief.length).toBeLessThan(whole.length / 2)
})

test('the help of install-mcp names the clients that have hooks', () => {
  const text = helpText('install-mcp').paragraphs.join(' ')
  const hooked = clients.filter(({ name }) => hookClients.includes(name))
  expect(hooked.length).toBeGreaterThan(3)
  for (const { name } of hooked) expect(text).toContain(name)
})

function check(typed: string, rest: string, wishes: TerminalOptions): void {
  expect(splitGlobalOptions(typed.split(' '))).toEqual({ rest: rest.split(' '), wishes })
}

test('accepts global options anywhere before "--"', () => {
  check('list --json', 'list --json', {})
  check('--quiet list', 'list', { quiet: true })
  check('query a --no-input b --color never', 'query a b', { noInput: true, colour: 'never' })
  check('--color=always ls -- --quiet', 'ls -- --quiet', { colour: 'always' })
  expect(() => splitGlobalOptions(['--color', 'blue'])).toThrow('Unknown colour "blue"')
  expect(() => splitGlobalOptions(['--color'])).toThrow('needs a value')
})

test('--quiet keeps errors and hints, --no-input never asks, --color forces or disables colours', async () => {
  using home = openHome()
  const stderr = async (typed: string, options = {}) =>
    (await home.run(typed.split(' '), options)).stderr
  expect(await stderr('list --quiet')).toBe('')
  expect(await stderr('rm x -v 1 -y --quiet')).toMatch(/^error: .*\nhint: .*\n$/)
  expect(await stderr('rm x -v 1 --color always')).toStartWith('\x1b[31merror:\x1b[0m ')
  const terminal = { tty: true, stdin: 'y\n' }
  expect(await stderr('rm x -v 1 --color=never', terminal)).toStartWith('error: ')
  expect(await stderr('stats reset --no-input', terminal)).toContain('Cannot ask')
  expect(await stderr('--color=blue list')).toMatch(/^error: Unknown colour "blue"\nhint: /)
})
