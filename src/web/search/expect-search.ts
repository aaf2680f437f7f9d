import type { OgView } from '../../open.ts'

/**
 * Opens what a search needs, where nothing is open yet: the store and the model of a process that
 * has just begun take longer than all else of its first search. Who opens the form soon types.
 */
export async function expectSearch(og: OgView): Promise<void> {
  if ((await og.warm()).length > 0 || (await og.list()).length === 0) return
  await og.search({ query: 'introduction', library: null, version: null, limit: 1 })
}
