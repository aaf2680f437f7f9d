import { version } from '../../package.json'
import { shortVariables, settingVariable, variables } from '../../src/config/load.ts'
import { memorySettings, memoryVariable } from '../../src/config/memory-setting.ts'
import { describeAllowedValues, settings } from '../../src/config/setting.ts'
import { usageOf, type Command } from '../../src/cli/command.ts'
import { globalOptions, helpText, optionRows } from '../../src/cli/help.ts'

export function renderMan(commands: readonly Command[]): string {
  const visible = commands.filter((command) => !command.hidden)
  const lines = [
    `.TH OG 1 "" "og ${version}"`,
    // Disables hyphenation and justification.
    '.nh',
    '.ad l',
    '.SH NAME',
    'og \\- search the documentation of libraries, on this machine',
    '.SH SYNOPSIS',
    '.B og',
    plain('COMMAND [OPTIONS]'),
    '.SH DESCRIPTION',
    plain(
      'og indexes the documentation of libraries on this machine and answers questions from it, ' +
        'for people in a shell and for coding agents. Data goes to stdout, all else to stderr.',
    ),
    '.SH COMMANDS',
    ...visible.flatMap(commandLines),
    '.SH OPTIONS OF EVERY COMMAND',
    ...globalOptions.flatMap(([option, doc]) => item(option, doc)),
    ...item('-h, --help', 'print help'),
    '.SH EXIT STATUS',
    ...exitCodes.flatMap(([code, doc]) => item(code, doc)),
    '.SH SETTINGS',
    plain('Defaults come before config.json, that before the environment, that before flags.'),
    ...settings.flatMap((setting) => {
      const names = [settingVariable(setting.key), shortVariables[setting.key]].filter(Boolean)
      const preset = setting.default === null ? '' : `, by default ${setting.default}`
      const takes = describeAllowedValues(setting.kind)
      const doc = `${setting.doc} It is ${takes}${preset}. Also ${names.join(', ')}.`
      return item(setting.key, doc.replaceAll('`', ''))
    }),
    '.SH SETTINGS OF MEMORY',
    plain(
      'Defaults come before groundmemory.yaml of the root, that before its .env, that before the ' +
        'environment, that before flags.',
    ),
    ...memorySettings.flatMap(({ key, kind, doc }) => {
      const names = `It is ${describeAllowedValues(kind)}. Also ${memoryVariable(key)}.`
      return item(key, `${doc} ${names}`.replaceAll('`', ''))
    }),
    '.SH ENVIRONMENT',
    ...variables.flatMap(({ name, doc }) => item(name, doc.replaceAll('`', ''))),
  ]
  return `${lines.join('\n')}\n`
}

const exitCodes: readonly (readonly [string, string])[] = [
  ['0', 'done'],
  ['1', 'done, but the answer is no, or not whole'],
  ['2', 'an error or wrong usage; nothing was changed'],
  ['130', 'interrupted'],
]

function commandLines(command: Command): string[] {
  const { name, aliases, summary, positionals } = command
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
  const also = aliases.length > 0 ? [`Also: ${aliases.join(', ')}.`] : []
  return [
    `.SS ${plain(usageOf(command))}`,
    ...[sentence, ...also, ...helpText(name).paragraphs].flatMap((text) => ['.PP', plain(text)]),
    ...Object.entries(positionals).flatMap(([word, { doc, choices }]) =>
      item(word.toUpperCase(), choices ? `${doc} ${choices.join(', ')}` : doc),
    ),
    ...optionRows(command).flatMap(([option, doc]) => item(option, doc)),
    ...helpText(name).examples.flatMap((example) => ['.HP 4', plain(example)]),
  ]
}

function item(term: string, doc: string): string[] {
  return ['.TP', `.B ${plain(term)}`, plain(doc)]
}

/**
 * Escapes text for roff: its special characters, and a request character at the start of a line.
 */
function plain(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\(rs')
    .replaceAll('-', '\\-')
    .replace(/[^\x00-\x7f]/gu, (char) => `\\[u${char.codePointAt(0)!.toString(16).toUpperCase()}]`)
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}
