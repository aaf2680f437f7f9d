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

/** Sentences of notes, near those that hold secrets. Each is filled in with ten details. */
const sentences = `
Ann keeps the password for % in the vault; ask her before the next rotation.
The API key of % is in 1Password under "platform", not in the repository.
Tokens of % expire after 90 days, so the nightly job asks for a new one.
Set % before you start the server, or the login page shows error 401.
The primary key of the table % is a UUIDv7 since the migration of 2026-03-14.
We saw request id 550e8400-e29b-41d4-a716-446655440000 in the logs of %.
The build of % is pinned to commit 3f786850e387550fdab836ed7e6dc881de23001b.
sha256 of the archive for %: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
Secrets of % live in Kubernetes; kubectl get secret app-config-v2 shows their names.
The public key of % is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8xk0pQ5Zt1vVq9hW3 deploy@host.
% reads its settings from config/production.json and .env.production.local.
The password policy for %: at least 12 characters, no reuse of the last 5.
Ctrl+Shift+P is the key binding that opens % in the editor.
The model behind % has a context of 200000 tokens and costs 3 dollars per million.
% uses key=value pairs; keys are lower case, such as retry_after_seconds=30.
Bug in %: the session token is compared with ==, which leaks its length.
Deploy % with: helm upgrade --install app charts/app --set image.tag=v2026.11.28-rc1
Docs of %: https://docs.example.org/guide/authentication#access-tokens-and-refresh-tokens
The sort key of % is createdAt#2026-11-28T10:15:30Z, the partition key is TENANT#42.
For %, password: see the runbook, section "Break glass", page 12.
The CSRF token of % comes from the meta tag and goes into X-CSRF-Token.
Rename API_TOKEN to OG_SERVE_TOKEN in % and in the workflow ci-release-2026.yml.
% failed with "invalid token '<' at position 0 in JSON", which means an HTML error page.
The foreign key fk_orders_customer_id_2024 slows down deletes in %.
MAC address of the printer near %: 3c:22:fb:9a:10:7e, IP 192.168.10.47.
The licence key of % is on the invoice INV-2026-004711.
Use a cache key like user:{id}:profile:v3 in %, with a lifetime of 15 minutes.
% authenticates with OIDC; there is no long-lived secret in CI any more.
The hash router of % keeps #access_token out of the server logs.
Colour tokens of %: --color-primary-500: #1d4ed8; --space-4: 1rem.
Ask Bob for a token when % says "quota exceeded"; he is admin of project og-staging-483920.
Order 7f9c2ba4-e88f-427d-8f3a-96d2d1c1f8aa of % was refunded on 2026-10-02.
In % use S3 bucket backups-eu-central-1-2026 and the key prefix daily/2026/11/.
The tokenizer of % has 30522 entries; [CLS] is 101 and [SEP] is 102.
basic auth in front of % is only for the staging host, user "preview".
The encryption key for % is derived with Argon2id, 64 MB, 3 passes.
% logs "auth: ok user=ann session=restored" about 400 times per minute.
Run % with --token-file /run/secrets/og-token, never with --token on the command line.
npm ci in % prints integrity sha512-9qv8qkzN7b1Hn1kB5yQk3yQ0mZ1oG5r3y6r8pV0gk5m2rQ==
Keyboard layout of % is de-latin1-nodeadkeys.
Version 1.2.3-beta.4+build.20261128 of % fixes the race in the key rotation.
The trace of % is 4bf92f3577b34da6a3ce929d0e0e4736, span 00f067aa0ba902b7.
Passwords in % are hashed with bcrypt, cost 12, since release 8.4.
docker run -e POSTGRES_PASSWORD -e POSTGRES_DB=app_test_2026 postgres:17 for %.
The webhook of % points to https://hooks.example.org/incoming/build-status.
% sends Authorization: Bearer <token>; the token comes from the device flow.
The access key rotation of % is scheduled for the first Monday of each quarter.
% needs GITHUB_TOKEN with contents: read and packages: write.
The key point about %: never block the event loop for more than 50 ms.
Feature flag enable_token_refresh_v2 is on for 25 % of users of %.
`
const details =
  'billing,the staging cluster,payments-api,libfoo 2.4,checkout,node-17.internal,the mobile app,' +
  'OrderService.java,report_2026-11.csv,Grafana'
const notes = sentences
  .trim()
  .split('\n')
  .flatMap((sentence) => details.split(',').map((detail) => sentence.replace('%', detail)))

test('reports none of 500 ordinary notes', () => {
  expect(notes).toHaveLength(500)
  expect(notes.filter(hasSecret)).toEqual([])
})

test('reports under one of a hundred lines of documents', () => {
  expect(ordinary.filter(hasSecret)).toEqual([])
  const docs = join(import.meta.dir, '..', '..', '..', 'docs', 'internals')
  const texts = readdirSync(docs).map((name) => readFileSync(join(docs, name), 'utf8'))
  const notes = texts.flatMap((text) => text.split('\n')).filter((line) => line.length >= 40)
  expect(notes.length).toBeGreaterThan(500)
  expect(notes.filter(hasSecret).length).toBeLessThan(notes.length / 100)
})
