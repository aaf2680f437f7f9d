import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hookClients } from '../../src/cli/clients/hooks.ts'
import { loadCommands } from '../../src/cli/commands/all.ts'
import { helpParagraphs, renderHelp } from '../../src/cli/help.ts'
import { clients } from '../../src/cli/clients/client.ts'

const commands = await loadCommands()

test('each section of docs/help.txt belongs to a command', () => {
  const text = readFileSync(join(import.meta.dir, '../../docs/help.txt'), 'utf8')
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, name]) => name!)
  const names = commands.flatMap(({ name, brief }) => (brief ? [name, `${name}, brief`] : [name]))
  expect(sections.filter((name) => !names.includes(name))).toEqual([])
  expect(sections).toEqual([...new Set(sections)])
})

test('joins the lines of a paragraph, and ends a section at the next one', () => {
  const paragraphs = helpParagraphs('jobs')
  expect(paragraphs).toHaveLength(2)
  expect(paragraphs[0]).toStartWith('A job is an "og add --detach" or')
  expect(paragraphs.join('')).not.toMatch(/\n|##/)
  expect(helpParagraphs('no such command')).toEqual([])
})

test('prints the brief paragraphs of a long help, and all of them on request', () => {
  const add = commands.find(({ name }) => name === 'add')!
  const [brief, whole] = [renderHelp(add), renderHelp(add, { isWhole: true })]
  const first = (text: string) => text.split(' ').slice(0, 5).join(' ')
  for (const paragraph of helpParagraphs('add')) expect(whole).toContain(first(paragraph))
  for (const paragraph of helpParagraphs('add, brief')) expect(brief).toContain(first(paragraph))
  expect(brief.length).toBeLessThan(whole.length / 2)
})

test('the help of install-mcp names the clients that have hooks', () => {
  const text = helpParagraphs('install-mcp').join(' ')
  const hooked = clients.filter(({ name }) => hookClients.includes(name))
  expect(hooked.length).toBeGreaterThan(3)
  for (const { name } of hooked) expect(text).toContain(name)
})
