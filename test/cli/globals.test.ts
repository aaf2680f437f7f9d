import { expect, test } from 'bun:test'
import { splitGlobalOptions } from '../../src/cli/globals.ts'
import type { TerminalOptions } from '../../src/cli/terminal.ts'
import { openHome } from '../support/run-og.ts'

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
