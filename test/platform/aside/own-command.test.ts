import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { ownCommand } from '../../../src/platform/aside/own-command.ts'

test('outside the executable the works are a file of their own', () => {
  const [program, entry] = ownCommand()
  expect(program).toBe(process.execPath)
  expect(existsSync(entry!)).toBe(true)
})
