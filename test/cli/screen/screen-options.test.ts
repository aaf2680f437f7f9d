import { expect, test } from 'bun:test'
import { wishedScreen } from '../../../src/cli/screen/screen-options.ts'
import type { Screen, Terminal } from '../../../src/cli/terminal.ts'

const terminal = (screen: Screen | null) => ({ screen: () => screen }) as Terminal
const wide = { columns: 120, rows: 40 }

test('uses a screen on a terminal and none in a pipe, unless specified', () => {
  expect(wishedScreen(terminal(wide), null)).toBe(wide)
  expect(wishedScreen(terminal(null), null)).toBeNull()
  expect(wishedScreen(terminal(wide), 'agent')).toBeNull()
  expect(wishedScreen(terminal(wide), 'screen')).toBe(wide)
  expect(wishedScreen(terminal(null), 'screen')).toEqual({ columns: 80, rows: Infinity })
})

test('rejects an unknown format and names the valid ones', () => {
  expect(() => wishedScreen(terminal(wide), 'paper')).toThrow('Unknown format "paper"')
})
