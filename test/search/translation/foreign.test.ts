import { expect, test } from 'bun:test'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { translateQuery } from '../../../src/search/translation/foreign.ts'
import { openCollections } from '../../support/collections.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { writeGeneration } from '../../support/store.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const english = { one: 'Close the session of a user and delete its cookie file.' }
const comments = { one: 'Close the file and write a comment.' }
const german = { one: 'Die Sitzung ist nicht offen, und der Benutzer löscht sein Cookie.' }

const temp = disposeAfterAll(await createTempFolder('og-foreign'))
await writeGeneration(temp.path, english, { library: 'english' })
await writeGeneration(temp.path, comments, { library: 'comments' })
await writeGeneration(temp.path, german, { library: 'german' })
await writeGeneration(temp.path, { 'guide/de/one': 'plain' }, { library: 'named' })
const collections = disposeAfterAll(await openCollections(temp.path))

/** Translates by the glossary alone, or with embeddings of `model`. */
async function check(
  text: string,
  expected: string | null,
  { libraries = ['english'], model }: { libraries?: string[]; model?: string } = {},
) {
  const embedder = model === undefined ? undefined : hashEmbedder()
  const asked = collections.asked(embedder).filter(({ entry }) => libraries.includes(entry.library))
  expect(asked.length).toBe(libraries.length)
  const found = await translateQuery(
    asked.map(({ open, facts, embed }) => {
      const fingerprint = model === undefined ? null : { ...open.generation.fingerprint!, model }
      return { open: { ...open, generation: { ...open.generation, fingerprint } }, facts, embed }
    }),
    text,
  )
  expect(found).toBe(expected)
}

test('translates a German or French query for English pages', async () => {
  await check('Wie lösche ich die Sitzung eines Benutzers?', 'delete session user')
  await check('comment fermer la session de l’utilisateur', 'close session user')
  await check('Benutzersitzung', 'user session')
  await check('Sitzungen löschen', 'session delete')
  await check('Cookie löschen', 'Cookie delete')
  await check('Sitzung beenden', 'session end')
  await check('Sitzung beenden comment', 'session end comment', { libraries: ['comments'] })
})

test('keeps English queries and queries in an unknown language', async () => {
  await check('how do I delete the session', null)
  await check('session cookie', null)
  await check('sesion', null)
  await check('createSession', null)
  await check('dataclass', null)
  await check('suppression comment', null, { libraries: ['comments'] })
  await check('suppression file', null)
  await check('Sitzung cookie', null)
  await check('aggregate', null)
  await check('¿cómo borro la sesión de un usuario?', null)
})

test('keeps the query if there are pages in its language', async () => {
  await check('Wie lösche ich die Sitzung?', null, { libraries: ['german'] })
  await check('Wie lösche ich die Sitzung?', null, { libraries: ['english', 'german'] })
  await check('Wie lösche ich die Sitzung?', null, { libraries: ['named'] })
})

test('keeps the query if the model may know its language', async () => {
  await check('Wie lösche ich die Sitzung?', null, { model: 'BAAI/bge-m3' })
  await check('Wie lösche ich die Sitzung?', 'delete session', { model: 'BAAI/bge-small-en-v1.5' })
})
