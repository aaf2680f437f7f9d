import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { parsePublicKey, verifyMinisign, newMinisignKeys } from '../../src/platform/minisign.ts'
import { minisign, publicKeyOf } from '../../scripts/release/sign.ts'
import { testWhere } from '../support/where.ts'

// Created with minisign 0.11: `minisign -G -W`, `minisign -S -t 'a comment'` of "hello\n".
const known = {
  key: 'RWS+K0b7q4D4goDgukpxYUHTcsbxeOP1/mGiraiSTdmMcm+nCWvVJTNm',
  signature: readFileSync(join(import.meta.dir, '..', 'fixtures', 'hello.minisig'), 'utf8'),
}

function check(content: string, signature: string, key: string, expected: string) {
  const verdict = () => verifyMinisign(Buffer.from(content), signature, parsePublicKey(key))
  if (expected.startsWith('Cannot')) expect(verdict).toThrow(expected)
  else expect(verdict()).toBe(expected)
}

test("accepts minisign's own signature, and rejects any change to it", () => {
  const { key, signature } = known
  check('hello\n', signature, `untrusted comment: any\n${key}\n`, 'a comment')
  check('hullo\n', signature, key, 'Cannot trust the signature: the content was changed')
  const commented = signature.replace('a comment', 'b comment')
  check('hello\n', commented, key, 'Cannot trust the signature: its comment was changed')
  const [head, ...rest] = signature.split('\n')
  const short = [head, rest[0]!.slice(4), ...rest.slice(1)].join('\n')
  check('hello\n', short, key, 'Cannot trust the signature: it is not a minisign signature')
  check('hello\n', '', key, 'Cannot trust the signature: it is not a minisign signature')
  const other = publicKeyOf(newMinisignKeys().secretKey)
  check('hello\n', signature, other, 'Cannot trust the signature: it was made with another key')
  check('hello\n', signature, 'RWQ', 'Cannot read the public key')
})

test('signs a release with a key without a password', () => {
  const secret = newMinisignKeys().secretKey
  check('sums', minisign(Buffer.from('sums'), secret, 'og 1.0'), publicKeyOf(secret), 'og 1.0')
  expect(() => minisign(Buffer.from('x'), 'no key', '')).toThrow('not a minisign secret key')
  const bytes = Buffer.from(secret.split('\n')[1]!, 'base64')
  bytes.write('Sc', 2, 'latin1')
  expect(() => minisign(Buffer.from('x'), bytes.toString('base64'), '')).toThrow('has a password')
})

const lack = Bun.which('minisign') === null ? 'minisign is not here' : null

testWhere(lack)('creates signatures that minisign accepts', async () => {
  await using folder = await createTempFolder('minisign')
  const secret = newMinisignKeys().secretKey
  const path = join(folder.path, 'SHA256SUMS')
  writeFileSync(path, 'sums')
  writeFileSync(`${path}.minisig`, minisign(Buffer.from('sums'), secret, 'og 1.0'))
  const ran = Bun.spawnSync(['minisign', '-V', '-P', publicKeyOf(secret), '-m', path])
  expect(ran.stdout.toString()).toContain('Trusted comment: og 1.0')
  expect(ran.exitCode).toBe(0)
})
