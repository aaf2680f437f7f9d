import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { sandboxCommand } from '../../../src/platform/sandbox/sandbox-command.ts'

test('runs the source file if og is not the compiled executable', () => {
  const [program, entry] = sandboxCommand()
  expect(program).toBe(process.execPath)
  expect(existsSync(entry!)).toBe(true)
})
