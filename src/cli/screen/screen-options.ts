import { option } from '../command.ts'
import { checkChoice } from '../../operation/field.ts'
import type { Screen, Terminal } from '../terminal.ts'

const formats = ['screen', 'agent'] as const

const format = option.text(
  'FORMAT',
  '"screen" (the default on a terminal) or "agent" (the default for a pipe)',
  { choices: formats },
)

const noPager = option.flag('do not use a pager')

export const pageScreenOptions = { format, 'no-pager': noPager } as const

export const hitScreenOptions = {
  full: option.flag('show whole passages'),
  ...pageScreenOptions,
} as const

export function selectScreen(terminal: Terminal, format: string | null): Screen | null {
  if (format === null) return terminal.screen()
  if (checkChoice('--format', format, formats) === 'agent') return null
  return terminal.screen() ?? { columns: 80, rows: Infinity }
}
