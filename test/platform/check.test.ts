import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { runCheck, type Check } from '../../src/platform/check.ts'
import { OgError } from '../../src/platform/error.ts'

async function check(look: Parameters<typeof runCheck>[1], expected: Omit<Check, 'name'>) {
  expect(await runCheck('it', look)).toEqual({ name: 'it', ...expected })
}

test('returns the verdict of a check, or its error with the hint', async () => {
  await check(() => ({ ok: true, detail: 'fine' }), { ok: true, detail: 'fine' })
  await check(() => Promise.reject(new Error('broken')), { ok: false, detail: 'broken' })
  const thrown = () => {
    throw new OgError('Cannot read it', { hint: 'read another' })
  }
  await check(thrown, { ok: false, detail: 'Cannot read it', hint: 'read another' })
})

test('names the file of a system error', async () => {
  const look = async () => ({ ok: true, detail: await readFile('/nowhere/a', 'utf8') })
  const detail = "ENOENT: no such file or directory, open '/nowhere/a'"
  await check(look, { ok: false, detail })
})
