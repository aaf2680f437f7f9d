import { expect, test } from 'bun:test'
import type { Decision } from '../../../src/memory/capture/capture.ts'
import type { InboxNote } from '../../../src/memory/capture/inbox.ts'
import type { OpenMemory } from '../../../src/memory/session.ts'
import { decideInbox } from '../../../src/operation/memory/upkeep.ts'
import { completeInput } from '../../../src/operation/operation.ts'
import type { InputOf } from '../../../src/operation/field.ts'

const notes = ['aa11', 'aa22', 'bb33'].map((start) => ({ id: start.padEnd(12, '0') }) as InboxNote)

/** Returns the decision that reaches the memory, or the error message. */
async function check(input: Partial<InputOf<typeof decideInbox.input>>) {
  const seen: Decision[] = []
  const memory = {
    inbox: async () => notes,
    decide: async (decision: Decision) => {
      seen.push(decision)
      return { accepted: [], dropped: [], left: 0 }
    },
  } as unknown as OpenMemory
  const complete = completeInput(decideInbox.input, input)
  const error = await decideInbox.run(memory, complete).then(
    () => null,
    ({ message }: Error) => message,
  )
  return error ?? seen[0]
}

test('completes abbreviated ids', async () => {
  const [one, two, three] = notes.map(({ id }) => id)
  expect(await check({ action: 'drop', ids: ['bb'] })).toEqual({ action: 'drop', ids: [three!] })
  expect(await check({ action: 'accept', all: true })).toEqual({
    action: 'accept',
    ids: [one!, two!, three!],
  })
  const ids = [one!, two!]
  const merge = { action: 'merge', ids: ['aa1', 'aa2'] }
  expect(await check(merge)).toEqual({ action: 'merge', ids, text: null })
})

test.each([
  [{ action: 'drop', ids: ['aa'] }, 'there are several notes with this id'],
  [{ action: 'drop', ids: [''] }, 'there is no note with this id'],
  [{ action: 'drop' }, 'Cannot drop: no note is given'],
  [{ action: 'edit', all: true, text: 'x' }, 'Cannot edit all notes'],
  [{ action: 'edit', ids: ['bb'] }, 'Cannot edit: give one note and its new text'],
  [{ action: 'merge', ids: ['bb'] }, 'Cannot merge one note'],
] as const)('rejects %j', async (input, message) => {
  expect(await check(input)).toContain(message)
})
