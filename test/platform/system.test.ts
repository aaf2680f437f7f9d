import { expect, test } from 'bun:test'
import { checkExecutable } from '../../src/platform/system.ts'

test('names the version, the runtime and the machine', () => {
  const target = `${process.platform}-${process.arch}`
  const start = `og 1.2.3, run from source, Bun ${Bun.version}, ${target}`
  const { ok, detail } = checkExecutable('1.2.3')
  expect([ok, detail]).toEqual([true, expect.stringContaining(start)])
  if (process.platform === 'linux') expect(detail).toMatch(/, glibc 2\.\d+$/)
})
