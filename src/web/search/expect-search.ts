import type { OgView } from '../../open.ts'

/**
 * Warms up the process by a search, where nothing is open yet: opening the store and the model is
 * most of the time of a first search. Called when the form is shown, before the user types.
 */
export async function expectSearch(og: OgView): Promise<void> {
  if ((await og.warm()).length > 0 || (await og.list()).length === 0) return
  await og.search({ query: 'introduction', library: null, version: null, limit: 1 })
}
