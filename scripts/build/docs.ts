import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { usageOf, type Command } from '../../src/cli/command.ts'
import { loadCommands } from '../../src/cli/commands/all.ts'
import { globalOptions, helpText, optionRows } from '../../src/cli/help.ts'
import { shortVariables, settingVariable, variables } from '../../src/config/load.ts'
import {
  memorySettings,
  memoryVariable,
  type MemorySetting,
} from '../../src/config/memory-setting.ts'
import { OgError } from '../../src/platform/error.ts'
import { describeAllowedValues, settings, type Setting } from '../../src/config/setting.ts'
import { renderAnswers } from './answers.ts'
import { code, table } from './docs-table.ts'
import { writeFigures } from './figures.ts'
import { mcpDocsPath, renderMcpDocs } from './mcp-docs.ts'

const commands = await loadCommands()

const reference = join(import.meta.dirname, '../../docs/reference')
export const cliDocsPath = join(reference, 'cli.md')
export const settingsDocsPath = join(reference, 'settings.md')
export const pythonSettingsPath = join(
  import.meta.dirname,
  '../../packaging/python/og_memory/settings.json',
)
export const memoryExamplePath = join(reference, 'groundmemory.yaml')
export const answersDocsPath = join(reference, 'exit-codes.md')

/** Returns the text of docs/reference/cli.md, made from the table of commands. */
export function renderCliDocs(): string {
  const visible = commands.filter((command) => !command.hidden)
  return [
    '# Commands',
    'Generated from the command table by `scripts/build/docs.ts`; a test fails when it is stale.',
    contract,
    ...visible.map(renderCommand),
  ]
    .join('\n\n')
    .concat('\n')
}

/** Returns the text of docs/reference/settings.md, made from the table of settings. */
export function renderSettingsDocs(): string {
  return [
    '# Settings',
    'Generated from the settings by `scripts/build/docs.ts`; a test fails when it is stale.',
    'Flags override the environment, the environment overrides config.json, and config.json ' +
      'overrides defaults. `og config path` prints the path of config.json, which openground ' +
      'shares. Values that openground writes into it by itself count as not set.',
    table(['Key', 'Variable', 'Takes', 'Default', 'Meaning'], settings.map(settingRow)),
    '## Settings of memory',
    'Flags override the environment, the environment overrides .env of the root, .env overrides ' +
      '[groundmemory.yaml](groundmemory.yaml) of the root, and that overrides defaults. Names of ' +
      'variables may be in any case. A list is a JSON array or names separated by commas.',
    table(
      ['Key in groundmemory.yaml', 'Variable', 'Takes', 'Default', 'Meaning'],
      memorySettings.map(memorySettingRow),
    ),
    '## Environment',
    table(
      ['Variable', 'Meaning'],
      variables.map(({ name, doc }) => [code(name), doc]),
    ),
  ]
    .join('\n\n')
    .concat('\n')
}

const contract = `Data goes to stdout, everything else to stderr. Exit codes of every command:

| code | means |
|---|---|
| 0 | done |
| 1 | done, but the answer is no (no hits, no such page) or incomplete (some pages failed) |
| 2 | an error or wrong usage; nothing was changed |
| 130 | interrupted |

\`--\` ends options. \`-k 5\`, \`-k5\`, \`-k=5\`, \`--top-k 5\` and \`--top-k=5\` are the same.
Write a value that begins with \`-\` as \`--source=-x\`. If an option that is not repeatable is
given twice, the last one counts.

Every command also takes these, anywhere before \`--\`:

${table(
  ['Option', 'Meaning'],
  globalOptions.map(([option, doc]) => [code(option), doc]),
)}`

function renderCommand(command: Command): string {
  const { name, summary, aliases, positionals } = command
  const rows = [
    ...Object.entries(positionals).map(([word, { doc, choices }]) => [
      code(word.toUpperCase()),
      choices ? `${doc}: ${choices.join(', ')}` : doc,
    ]),
    ...optionRows(command).map(([option, doc]) => [code(option), doc]),
  ]
  return [
    `## og ${name}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    `    ${usageOf(command)}`,
    ...(aliases.length > 0 ? [`Also: ${aliases.map(code).join(', ')}`] : []),
    ...helpText(name).paragraphs.map(escaped),
    ...(rows.length > 0 ? [table(['Argument', 'Meaning'], rows)] : []),
    ['```sh', ...helpText(name).examples, '```'].join('\n'),
  ].join('\n\n')
}

function settingRow(setting: Setting): string[] {
  const { key, doc } = setting
  const names = [settingVariable(key), shortVariables[key]].filter((name) => name !== undefined)
  const preset = setting.default === null ? '' : code(String(setting.default))
  return [code(key), names.map(code).join(', '), describeAllowedValues(setting.kind), preset, doc]
}

function memorySettingRow({ key, kind, default: preset, doc }: MemorySetting): string[] {
  const shown = preset === null ? '' : code(Array.isArray(preset) ? preset.join(',') : `${preset}`)
  const takes = describeAllowedValues(kind)
  return [code(key), code(memoryVariable(key)), takes, shown === '``' ? '' : shown, doc]
}

/**
 * Returns docs/reference/groundmemory.yaml: every setting of memory with its meaning and its
 * default. All settings are commented out, because a copied default would hide a later one.
 */
export function renderMemoryExample(): string {
  const groups = Map.groupBy(memorySettings, ({ key }) => key.split('.').slice(0, -1).join('.'))
  const blocks = [...groups].map(([group, members]) => {
    const indent = group === '' ? '' : '  '
    const lines = members.flatMap(({ key, kind, default: preset, doc }) => [
      `${indent}# ${doc} Takes: ${describeAllowedValues(kind)}.`,
      `#${indent}${key.split('.').at(-1)}: ${JSON.stringify(preset)}`,
    ])
    return [...(group === '' ? [] : [`#${group}:`]), ...lines].join('\n')
  })
  const head =
    '# An example of groundmemory.yaml, with the defaults. Copy it into the root of the memory,\n' +
    '# and remove the "#" before each setting that you change and before the name of its group.'
  return [head, ...blocks].join('\n\n').concat('\n')
}

/** Returns the settings of memory for the Python package, by key. */
export function renderPythonSettings(): string {
  const byKey = memorySettings.map(({ key, kind, default: preset, aliases }) => {
    const { type, ...limits } = kind
    const choices = 'choices' in limits ? { choices: Object.keys(limits.choices) } : limits
    const allowed = describeAllowedValues(kind)
    return [key, { kind: type, ...choices, default: preset, ...(aliases && { aliases }), allowed }]
  })
  return `${JSON.stringify(Object.fromEntries(byKey), null, 2)}\n`
}

/** Keeps names such as `<scope>` from becoming markup. */
function escaped(text: string): string {
  return text.replaceAll('<', '&lt;')
}

if (import.meta.main) await main()

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { figures: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  if (!values.figures) return await writeReference()
  try {
    writeFigures(positionals)
  } catch (error) {
    if (!(error instanceof OgError)) throw error
    process.stderr.write(`${error.message}\nhint: ${error.hint}\n`)
    process.exitCode = 1
  }
}

async function writeReference(): Promise<void> {
  await writeFile(cliDocsPath, renderCliDocs())
  await writeFile(settingsDocsPath, renderSettingsDocs())
  await writeFile(memoryExamplePath, renderMemoryExample())
  await writeFile(pythonSettingsPath, renderPythonSettings())
  await writeFile(answersDocsPath, renderAnswers())
  await writeFile(mcpDocsPath, await renderMcpDocs())
}
