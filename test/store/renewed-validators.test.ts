import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { readRenewedValidators, writeRenewedValidators } from '../../src/library/add/live-state.ts'

test('reads notes as written, and treats missing or broken ones as none', async () => {
  await using temp = await createTempFolder('og-notes')
  mkdirSync(join(temp.path, 'generations', 'g'), { recursive: true })
  expect(await readRenewedValidators(temp.path, 'g')).toEqual(new Map())
  const notes = new Map([
    ['https://a.example/', '{"etag": "1"}'],
    ['__proto__', 'x'],
  ])
  await writeRenewedValidators(temp.path, 'g', notes)
  expect(await readRenewedValidators(temp.path, 'g')).toEqual(notes)
  writeFileSync(join(temp.path, 'generations/g/renewed-validators.json'), '{"a": ')
  expect(await readRenewedValidators(temp.path, 'g')).toEqual(new Map())
})
