import { expect, test } from 'bun:test'
import { openRemotes, read, written } from '../../support/remotes.ts'
import { refused } from '../../support/servers/s3-server.ts'
import { publish, writeGeneration } from '../../support/store.ts'
import { openEach } from '../../support/run/dispose.ts'

const remotes = openEach(openRemotes)

test('publishes nothing after an interrupted upload, and resumes it', async () => {
  await written(remotes().one, 'lib')
  const next = await writeGeneration(remotes().one.folder, { a: 'new text' }, { embedder: null })
  let left = 3
  remotes().server.fault = (asked) =>
    asked.startsWith(`PUT generations/${next.id}`) && left-- <= 0 ? refused(403, 'Denied') : null
  await expect(publish(remotes().one.folder, 'lib', next)).rejects.toThrow(
    'Cannot write store s3://docs/team: the bucket answers 403 Denied',
  )
  expect(await read(remotes().two, 'lib')).toBe('some text')
  const there = remotes().keysOf(next.id)
  expect(there.length).toBeGreaterThan(0)
  remotes().server.fault = null
  remotes().server.asked = []
  await publish(remotes().one.folder, 'lib', next)
  for (const key of there) expect(remotes().server.asked).not.toContain(`PUT ${key}`)
  await remotes().two.refresh('now')
  expect(await read(remotes().two, 'lib')).toBe('new text')
})
