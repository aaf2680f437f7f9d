import { expect, test } from 'bun:test'
import { commandOptions } from '../../src/operation/field.ts'

test("converts an operation's input to command options", () => {
  const input = {
    version: '--all',
    docs_path: ['a', 'b c'],
    only_page: true,
    force: false,
    lock_timeout: 0,
    source: null,
    api: undefined,
    below: '',
  }
  expect(commandOptions(input)).toEqual([
    '--version=--all',
    '--docs-path=a',
    '--docs-path=b c',
    '--only-page',
    '--lock-timeout=0',
  ])
})
