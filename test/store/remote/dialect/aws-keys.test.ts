import { expect, test } from 'bun:test'
import { OgError } from '../../../../src/platform/error.ts'
import { validateKeys, renewingKeys } from '../../../../src/store/remote/dialect/aws-keys.ts'

const keys = (n: number) => ({
  accessKeyId: `id-${n}`,
  secretAccessKey: 'secret',
  sessionToken: undefined,
})

function counted(lifeMs: number, fail: (n: number) => Error | null = () => null) {
  let n = 0
  const find = renewingKeys(async () => {
    const error = fail(++n)
    if (error !== null) throw error
    return { keys: keys(n), lifeMs }
  })
  return async () => (await find()).accessKeyId
}

test('requests keys once, even for several callers at a time', async () => {
  const find = counted(3_600_000)
  expect(await Promise.all([find(), find()])).toEqual(['id-1', 'id-1'])
  expect(await find()).toBe('id-1')
})

test('renews keys that expire within five minutes', async () => {
  const find = counted(299_000)
  expect([await find(), await find()]).toEqual(['id-1', 'id-2'])
})

test('uses valid keys while the service is down', async () => {
  const down = new OgError('down', { code: 'unreachable' })
  const find = counted(200_000, (n) => (n > 1 ? down : null))
  expect([await find(), await find(), await find()]).toEqual(['id-1', 'id-1', 'id-1'])
})

test("throws the service's error after the keys have expired", async () => {
  const down = new OgError('down', { code: 'unreachable' })
  const expired = counted(-1, (n) => (n > 1 ? down : null))
  expect(await expired()).toBe('id-1')
  await expect(expired()).rejects.toThrow('down')
  const refused = counted(200_000, (n) => (n > 1 ? new OgError('no', { code: 'denied' }) : null))
  await refused()
  await expect(refused()).rejects.toThrow('no')
})

test('rejects keys with invalid characters without printing them', () => {
  expect(validateKeys(keys(1))).toEqual(keys(1))
  expect(() => validateKeys({ ...keys(1), secretAccessKey: 'never\nprinted' })).toThrow(
    /^Cannot use the keys of the store: they contain invalid characters$/,
  )
})
