import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { parse as parseToml } from 'smol-toml'
import {
  cliDocsPath,
  memoryExamplePath,
  pythonSettingsPath,
  renderCliDocs,
  renderMemoryExample,
  renderPythonSettings,
  renderSettingsDocs,
  settingsDocsPath,
} from '../../scripts/build/docs.ts'
import { mcpDocsPath, renderMcpDocs } from '../../scripts/build/mcp-docs.ts'
import { clients } from '../../src/cli/clients/client.ts'
import { parseArguments } from '../../src/cli/arguments.ts'
import { loadCommands } from '../../src/cli/commands/all.ts'
import { completionAt } from '../../src/cli/commands/system/complete.ts'
import { renderHelp } from '../../src/cli/help.ts'

const commands = await loadCommands()

test('docs/reference/cli.md matches the tables; if not, run npm run docs (W-42)', async () => {
  expect(await readFile(cliDocsPath, 'utf8')).toBe(renderCliDocs())
})

test('docs/reference/settings.md matches the tables; if not, run npm run docs', async () => {
  expect(await readFile(settingsDocsPath, 'utf8')).toBe(renderSettingsDocs())
})

test('the settings of the Python package match the tables; if not, run npm run docs', async () => {
  expect(await readFile(pythonSettingsPath, 'utf8')).toBe(renderPythonSettings())
})

test('the example of groundmemory.yaml matches the tables; if not, run npm run docs', async () => {
  expect(await readFile(memoryExamplePath, 'utf8')).toBe(renderMemoryExample())
})

test('docs/reference/mcp.md matches the tables; if not, run npm run docs', async () => {
  expect(await readFile(mcpDocsPath, 'utf8')).toBe(await renderMcpDocs())
})

test('every snippet of docs/reference/mcp.md is valid', async () => {
  const text = await readFile(mcpDocsPath, 'utf8')
  const snippets = [...text.matchAll(/^```(json|toml)\n(.*?)^```$/gms)]
  expect(snippets).toHaveLength(clients.length)
  for (const [, format, config] of snippets) {
    const parsed = format === 'json' ? JSON.parse(config!) : parseToml(config!)
    expect(JSON.stringify(parsed)).toContain('"og"')
  }
})

test('names, aliases and short options are unique, and help fits a terminal', () => {
  const names = commands.flatMap(({ name, aliases }) => [name, ...aliases])
  expect(new Set(names).size).toBe(names.length)
  for (const command of commands) {
    const shorts = Object.values(command.options).flatMap(({ short }) => short ?? [])
    expect(new Set(shorts).size).toBe(shorts.length)
    const words = Object.keys(command.positionals)
    expect(words.filter((word) => word in command.options)).toEqual([])
    const widest = Math.max(
      ...renderHelp(command)
        .split('\n')
        .map((line) => line.length),
    )
    expect(widest).toBeLessThanOrEqual(100)
  }
})

test('the help of add fits two screens, and --all prints the rest', () => {
  const add = commands.find(({ name }) => name === 'add')!
  const brief = renderHelp(add, { width: 80 })
  expect(brief.split('\n').length).toBeLessThanOrEqual(60)
  expect(brief).toContain('"og add --help --all" explains all options.')
  expect(brief).not.toContain('--min-health')
  const whole = renderHelp(add, { isWhole: true })
  for (const name of Object.keys(add.options)) expect(whole).toContain(`--${name}`)
  expect(whole).not.toContain('--help --all')
})

test('help, reference and completion leave out options without an effect', () => {
  const command = commands.find(({ name }) => name === 'update')!
  expect(renderHelp(command, { isWhole: true })).not.toContain('--yes')
  expect(JSON.stringify(completionAt(commands, ['update', '--']))).not.toContain('--yes')
  expect(parseArguments(command, ['x', '--yes'])['yes']).toBe(true)
})
