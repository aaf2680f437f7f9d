import { expect, test } from 'bun:test'
import { findSecrets } from '../../../src/memory/audit/audit.ts'

test('removes the password and keeps an equal user name', () => {
  const contents = (text: string) => findSecrets('MEMORY.md', text).map(({ fix }) => fix?.content)
  expect(contents('See https://admin:admin@db.example/.\n')).toEqual([
    'See https://admin:[removed]@db.example/.\n',
  ])
  expect(contents('password: hunter2+2 was hunter2+1\n')).toEqual([
    'password: [removed] was hunter2+1\n',
  ])
  expect(contents('The heron eats frogs.\n')).toEqual([])
})
