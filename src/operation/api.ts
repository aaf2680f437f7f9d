import { field } from './field.ts'
import type { ApiListing } from '../library/api-symbols.ts'
import type { Og } from '../open.ts'
import type { ProjectPins } from '../version/project.ts'
import { splitVersion } from '../version/package-name.ts'
import { operation } from './operation.ts'
import type { Answer } from './note.ts'

type ApiContext = { og: Pick<Og, 'api'>; project(): Promise<ProjectPins | null> }

export const api = operation({
  name: 'api',
  summary: 'list the public names of a library with their signatures',
  input: {
    library: field.text('LIBRARY or LIBRARY@VERSION', { maxLength: 200, required: true }),
    prefix: field.text(
      'only names that begin with this text, or else those with a part that does',
      { maxLength: 500 },
    ),
    version: field.text('version of the library', { maxLength: 200 }),
  },
  async run(context: ApiContext, input): Promise<Answer<ApiListing>> {
    const { library, version } = splitVersion(input)
    const project = version === null ? await context.project() : null
    const prefix = input.prefix ?? ''
    return { value: await context.og.api({ library, version, project, prefix }), notes: [] }
  },
  json: ({ value: { library, version, symbols } }) => ({
    library,
    version,
    symbols: symbols.map(({ qualifiedName: name, signature, deprecated, url }) => ({
      name,
      signature,
      deprecated,
      url,
    })),
  }),
})
