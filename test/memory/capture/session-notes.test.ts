import { expect, test } from 'bun:test'
import type { SessionEvent } from '../../../src/memory/capture/session-event.ts'
import {
  emptySession,
  notesOfEvents,
  notesOfPrompt,
  notesOfSession,
} from '../../../src/memory/capture/session-notes.ts'

const ran = (command: string, isFailed = false): SessionEvent => ({
  kind: 'ran',
  command,
  isFailed,
})
const newSession = () => structuredClone(emptySession)
const textsOf = (events: SessionEvent[]) =>
  notesOfEvents(newSession(), events).map(({ text }) => text)

test('notes the command that worked after a similar one failed', () => {
  expect(textsOf([ran('npm test', true), ran('ls'), ran('npx bun test')])).toEqual([
    '`npm test` failed; `npx bun test` worked.',
  ])
})

test('notes nothing if the same command works later or no similar command does', () => {
  expect(textsOf([ran('npm test', true), ran('npm test')])).toEqual([])
  expect(textsOf([ran('npm test', true), ran('git status')])).toEqual([])
  const others = Array.from({ length: 9 }, () => ran('ls'))
  expect(textsOf([ran('npm test', true), ...others, ran('npx bun test')])).toEqual([])
})

test('leaves out text with secrets and multi-line commands', () => {
  const key = 'sk-abcdefghijklmnopqrstuvwxyz'
  expect(notesOfPrompt(`Always use ${key} here. Always be brief.`, 1)).toMatchObject([
    { text: 'Always be brief.', to: 'AGENTS.md', turn: 1 },
  ])
  expect(textsOf([ran('npm test', true), ran(`KEY=${key} npx bun test`)])).toEqual([])
  expect(textsOf([ran('npm test', true), ran('npx bun test\nrm x')])).toEqual([])
})

test('counts turns and changed files, and summarizes the session in stable notes', () => {
  const session = newSession()
  const changed = (file: string): SessionEvent => ({ kind: 'changed', file })
  const notes = notesOfEvents(session, [
    { kind: 'said', text: 'Hello' },
    { kind: 'said', text: 'Never commit the lock file.' },
    changed('/p/a.ts'),
    changed('/p/b.ts'),
    changed('/p/a.ts'),
    { kind: 'planned', open: ['Old'] },
    { kind: 'planned', open: ['Write docs', 'Measure'] },
  ])
  expect(notes).toMatchObject([{ kind: 'rule', turn: 2 }])
  const about = { session: 's', folder: '/p' }
  const summary = notesOfSession(session, about)
  expect(summary.map(({ text }) => text)).toEqual([
    'Changed most in /p: a.ts (2), b.ts (1).',
    'Left open in /p: Write docs; Measure.',
  ])
  notesOfEvents(session, [changed('/p/c.ts')])
  expect(notesOfSession(session, about).map(({ id }) => id)).toEqual(summary.map(({ id }) => id))
})

test('counts files named like object properties', () => {
  const session = newSession()
  const names = ['constructor', '__proto__', 'constructor']
  notesOfEvents(
    session,
    names.map((file) => ({ kind: 'changed', file })),
  )
  expect(session.changed).toEqual({ constructor: 2 } as never)
})

test('keeps a bounded amount of data per session', () => {
  const session = newSession()
  const events = Array.from({ length: 1000 }, (_, at): SessionEvent[] => [
    ran(`cmd${at} --x`, true),
    { kind: 'changed', file: `/f${at}` },
    { kind: 'planned', open: Array.from({ length: 50 }, () => 'x'.repeat(1000)) },
  ])
  notesOfEvents(session, events.flat())
  expect(session.failed.length).toBeLessThanOrEqual(10)
  expect(Object.keys(session.changed)).toHaveLength(200)
  expect(JSON.stringify(session).length).toBeLessThan(10_000)
})
