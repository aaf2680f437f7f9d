import { expect, test } from 'bun:test'
import { selectScreen } from '../../../src/cli/screen/screen-options.ts'
import type { Screen, Terminal } from '../../../src/cli/terminal.ts'

const terminal = (screen: Screen | null) => ({ screen: () => screen }) as Terminal
const wide = { columns: 120, rows: 40 }

test('uses the screen on a terminal but not in a pipe, unless told otherwise', () => {
  expect(selectScreen(terminal(wide), null)).toBe(wide)
  expect(selectScreen(terminal(null), null)).toBeNull()
  expect(selectScreen(terminal(wide), 'agent')).toBeNull()
  expect(selectScreen(terminal(wide), 'screen')).toBe(wide)
  expect(selectScreen(terminal(null), 'screen')).toEqual({ columns: 80, rows: Infinity })
})

test('rejects an unknown format and lists the valid ones', () => {
  expect(() => selectScreen(terminal(wide), 'paper')).toThrow(
    'Cannot use "paper" for --format: must be one of screen, agent',
  )
})
