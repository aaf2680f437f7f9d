import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSecrets, hasSecret } from '../../../src/memory/audit/secrets.ts'

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

const random = 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zZ'

// The parts are joined here, so that scanners of repositories do not report this file.
const secrets = [
  ['sk_', `live_${random}`],
  ['npm_', `${random}abcd`],
  ['glpat', '-xY12abCD34efGH56ijKL'],
  ['hvs', `.CAESI${random}${random}${random}`],
  ['dop_v1_', 'a1b2c3d4'.repeat(8)],
  ['hf_', 'abcdefghijklmnopqrstuvwxyzABCDEFGH'],
  ['aws_secret_access_key = ', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
  ['Authorization: Basic ', 'dXNlcjpwYXNzd29yZDEyMw=='],
  ['Authorization: Bearer ', random],
  ['API_TOKEN=', '0123456789abcdef0123456789abcdef'],
  ['"clientSecret": "', `${random}"`],
  ['deploy with --token ', random],
  ['the token is ', '7f3d2c1b9a8e7f6d5c4b3a29'],
  ['DB_PASSWORD=', 'S3cure-Horse!'],
  ['curl -u admin:', 'hunter22 https://host.test'],
  ['AccountKey=', `${random}${random}==`],
  ['sk-proj-', random],
  ['SG.', `${random}.${random}`],
  ['-----BEGIN OPENSSH ', 'PRIVATE KEY-----'],
].map((parts) => parts.join(''))

test('finds keys of many issuers and random values behind names of secrets', () => {
  expect(secrets.filter((text) => !hasSecret(text))).toEqual([])
  expect(findSecrets('', secrets[9]!)[0]!.fix!.content).toBe('API_TOKEN=[removed]')
})

const ordinary = [
  'the password is stored in the vault',
  'npm_config_user_agent is set',
  'tokens: 4096 per page, and the next token: abcdefghijklmnop',
  'key: user-profile-settings-2024',
  'secret name: prod/db/main-2024',
  'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
  'cache key: 9f86d081884c7d659a2feaa0c55ad015',
  'curl -H "Authorization: Bearer $TOKEN" -u user:$PASS host',
  'postgres://user:password@localhost/db and postgres://user:$PGPASSWORD@localhost/db',
  'GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }} and API_KEY=your-api-key-here-123',
  'secret=process.env.API_SECRET_2',
  'PRIVATE_KEY_PATH=/etc/ssl/private/server.pem',
  'sk-learn-pipeline-with-many-words',
]

test('reports under one of a hundred ordinary notes', () => {
  expect(ordinary.filter(hasSecret)).toEqual([])
  const docs = join(import.meta.dir, '..', '..', '..', 'docs', 'internals')
  const texts = readdirSync(docs).map((name) => readFileSync(join(docs, name), 'utf8'))
  const notes = texts.flatMap((text) => text.split('\n')).filter((line) => line.length >= 40)
  expect(notes.length).toBeGreaterThan(500)
  expect(notes.filter(hasSecret).length).toBeLessThan(notes.length / 100)
})
