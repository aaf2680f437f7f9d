import { expect, test } from 'bun:test'
import { confirm } from '../../src/cli/confirm.ts'
import { openTerminal } from '../../src/cli/terminal.ts'
import { chunks, sink } from '../support/run-og.ts'

async function check(given: { tty: boolean; typed: string; yes: boolean }, expected: boolean) {
  const stderr = sink(given.tty)
  const stdin = Object.assign(chunks(given.typed), { isTTY: given.tty })
  const terminal = openTerminal({ stdin, stdout: sink(given.tty), stderr }, {})
  expect(await confirm(terminal, { what: 'delete it', yes: given.yes })).toBe(expected)
  return stderr.text()
}

test('proceeds with --yes or after confirmation', async () => {
  expect(await check({ tty: false, typed: '', yes: true }, true)).toBe('')
  expect(await check({ tty: true, typed: 'y\n', yes: false }, true)).toBe('Delete it? [y/N] ')
  expect(await check({ tty: true, typed: 'n\n', yes: false }, false)).toContain('Nothing was')
  const unasked = check({ tty: false, typed: 'y\n', yes: false }, true)
  await expect(unasked).rejects.toThrow('Cannot ask whether to delete it: this is not a terminal')
})
