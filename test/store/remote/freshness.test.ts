import { expect, test } from 'bun:test'
import { changeEntries } from '../../../src/store/registry.ts'
import { ageMs, names, openRemotes, patienceMs, written } from '../../support/remotes.ts'
import { refused } from '../../support/servers/s3-server.ts'
import { until } from '../../support/until.ts'
import { openEach } from '../../support/run/dispose.ts'

const remotes = openEach(() => openRemotes(patienceMs))

const slow = () => refused(503, 'SlowDown')

async function timed<T>(run: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const started = performance.now()
  const value = await run()
  return { value, ms: performance.now() - started }
}

test('readers use the copy during an outage, and writers get the error', async () => {
  await written(remotes().one, 'lib')
  remotes().server.fault = slow
  await Bun.sleep(ageMs + 1)
  expect(await names(remotes().one)).toEqual(['lib'])
  expect(remotes().one.isDown()).toBe(true)
  expect(remotes().warned).toEqual([
    expect.stringMatching(/^Cannot read store s3:.* 503 SlowDown; using the copy of 2/),
  ])
  await expect(changeEntries(remotes().one.folder, () => [])).rejects.toThrow('503 SlowDown')
  const three = await remotes().machine('three')
  await expect(names(three)).rejects.toThrow('503 SlowDown')
})

test('waits once for a bucket that hangs, and warns once', async () => {
  await written(remotes().one, 'lib')
  remotes().server.isHung = true
  await Bun.sleep(ageMs + 1)
  const first = await timed(() => names(remotes().one))
  expect(first.value).toEqual(['lib'])
  expect(first.ms).toBeGreaterThan(patienceMs - 5)
  expect(first.ms).toBeLessThan(10 * patienceMs)
  for (let i = 0; i < 3; i++) {
    await Bun.sleep(ageMs + 1)
    expect((await timed(() => names(remotes().one))).ms).toBeLessThan(patienceMs / 2)
  }
  expect(remotes().warned).toEqual([
    expect.stringMatching(/^Cannot reach store s3:\S+: no answer within 1 s; using the copy/),
  ])
})

test('uses the bucket again once it responds', async () => {
  const { one, two, server, warned } = remotes()
  await written(one, 'lib')
  await names(two)
  server.isHung = true
  await Bun.sleep(ageMs + 1)
  expect(await names(two)).toEqual(['lib'])
  server.isHung = false
  await written(one, 'other')
  await until(
    'the other library',
    async () => (await names(two)).includes('other') && !two.isDown(),
  )
  expect(warned.at(-1)).toBe('Store s3://docs/team can be reached again')
})

test('does not treat a refusal as an outage, even after an outage', async () => {
  await written(remotes().one, 'lib')
  const denied = () => refused(403, 'AccessDenied')
  remotes().server.fault = denied
  await Bun.sleep(ageMs + 1)
  await expect(names(remotes().one)).rejects.toThrow('403 AccessDenied')
  remotes().server.fault = slow
  expect(await names(remotes().one)).toEqual(['lib'])
  remotes().server.fault = denied
  await until('the refusal', () =>
    names(remotes().one).then(
      () => false,
      (error) => error.message.includes('403 AccessDenied'),
    ),
  )
})

test('throws the error without a warning if the caller needs the bucket', async () => {
  await written(remotes().one, 'lib')
  const strict = await remotes().machine('one', 1e9, { needsBucket: true })
  remotes().server.isHung = true
  const { ms } = await timed(async () => {
    await expect(names(strict)).rejects.toThrow('no answer within 3 s')
  })
  expect(ms).toBeLessThan(10 * patienceMs)
  expect(remotes().warned).toEqual([])
})

test('reports sizes as unknown during an outage', async () => {
  const { id } = await written(remotes().one, 'lib')
  expect((await remotes().one.sizes())!.get(id)).toBeGreaterThan(1_000)
  remotes().server.fault = slow
  expect(await remotes().one.sizes()).toBeNull()
  expect(remotes().one.isDown()).toBe(true)
})
