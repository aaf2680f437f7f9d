import { isRecord } from '../../platform/json.ts'
import { fenceCode } from '../../document/fence.ts'
import { resolveReference, scalarText, type JsonObject, type Spec } from './reference.ts'
import { schemaLimits, oneLine, renderProperties, schemaType } from './schema-text.ts'

/** Maximum length of an example, in characters. */
const exampleLimit = 4000

/** The parameters of an operation as a list below a heading; '' if it has none. */
export function renderParameters(spec: Spec, lists: readonly unknown[]): string {
  const byKey = new Map<string, string>()
  for (const list of lists) {
    if (!Array.isArray(list)) continue
    for (const written of list.slice(0, 500)) {
      const parameter = resolveReference(spec, written)
      // The body of Swagger 2 is a parameter; `renderRequestBody` renders it.
      if (!isRecord(parameter) || parameter.in === 'body') continue
      byKey.set(
        `${scalarText(parameter.in)} ${scalarText(parameter.name)}`,
        parameterLine(spec, parameter),
      )
    }
  }
  return byKey.size === 0 ? '' : `## Parameters\n\n${[...byKey.values()].join('\n')}`
}

function parameterLine(spec: Spec, parameter: JsonObject): string {
  const schema = parameter.schema ?? mediaOf(parameter.content)?.schema ?? parameter
  const facts = [
    `in ${scalarText(parameter.in)}`,
    schemaType(spec, schema),
    parameter.required === true ? 'required' : '',
    ...schemaLimits(resolveReference(spec, schema)),
  ]
  const about = oneLine(scalarText(parameter.description))
  const shown = facts.filter((fact) => fact !== '').join(', ')
  return `- \`${scalarText(parameter.name)}\` (${shown})${about === '' ? '' : `: ${about}`}`
}

/** The first media type of a `content` object. */
function mediaOf(content: unknown): JsonObject | null {
  const media = isRecord(content) ? Object.values(content)[0] : null
  return isRecord(media) ? media : null
}

/** The request body of an operation; '' if it has none. */
export function renderRequestBody(spec: Spec, operation: JsonObject): string {
  const body = resolveReference(spec, operation.requestBody) ?? swaggerBody(spec, operation)
  if (!isRecord(body)) return ''
  const parts = [
    '## Request body',
    scalarText(body.description),
    ...contentText(spec, body.content),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** The body of Swagger 2, which is one of the parameters, in the form of OpenAPI 3. */
function swaggerBody(spec: Spec, operation: JsonObject): JsonObject | null {
  const parameters = Array.isArray(operation.parameters) ? operation.parameters : []
  const body = parameters
    .map((written) => resolveReference(spec, written))
    .find((parameter) => isRecord(parameter) && parameter.in === 'body')
  if (!isRecord(body)) return null
  const consumes = Array.isArray(operation.consumes) ? scalarText(operation.consumes[0]) : ''
  const content = { [consumes || 'application/json']: { schema: body.schema } }
  return { description: body.description, content }
}

/** The responses of an operation; '' if it declares none. */
export function renderResponses(spec: Spec, operation: JsonObject): string {
  if (!isRecord(operation.responses)) return ''
  const parts = Object.entries(operation.responses)
    .slice(0, 50)
    .flatMap(([status, written]) => {
      const response = resolveReference(spec, written)
      if (!isRecord(response)) return []
      // In Swagger 2, the schema is in the response itself.
      const content =
        response.content ??
        (response.schema === undefined ? undefined : { 'application/json': swaggerMedia(response) })
      const about = scalarText(response.description)
      return [
        `### ${status}${about === '' ? '' : ` ${oneLine(about)}`}`,
        ...contentText(spec, content),
      ]
    })
  return parts.length === 0 ? '' : ['## Responses', ...parts].join('\n\n')
}

function swaggerMedia({ schema, examples }: JsonObject): JsonObject {
  const example = isRecord(examples) ? Object.values(examples)[0] : undefined
  return { schema, ...(example === undefined ? {} : { example }) }
}

function contentText(spec: Spec, content: unknown): string[] {
  if (!isRecord(content)) return []
  const parts: string[] = []
  let last = ''
  for (const [type, media] of Object.entries(content).slice(0, 10)) {
    if (!isRecord(media)) continue
    const properties = renderProperties(spec, media.schema)
    const head = `\`${type}\` ${schemaType(spec, media.schema)}`.trim()
    parts.push(head)
    // Media types often share one schema.
    if (properties !== last) parts.push(properties)
    last = properties
    parts.push(...examplesOf(spec, media))
  }
  return parts.filter((part) => part !== '')
}

function examplesOf(spec: Spec, media: JsonObject): string[] {
  const examples: [string, unknown][] = media.example === undefined ? [] : [['', media.example]]
  if (isRecord(media.examples)) {
    for (const [name, written] of Object.entries(media.examples).slice(0, 5)) {
      const example = resolveReference(spec, written)
      if (isRecord(example) && example.value !== undefined) examples.push([name, example.value])
    }
  }
  const schema = resolveReference(spec, media.schema)
  if (examples.length === 0 && isRecord(schema) && schema.example !== undefined) {
    examples.push(['', schema.example])
  }
  return examples.flatMap(([name, value]) => {
    const isText = typeof value === 'string'
    const code = isText ? value : exampleJson(value)
    if (code === '' || code.length > exampleLimit) return []
    return [name === '' ? 'Example:' : `Example ${name}:`, fenceCode(code, isText ? '' : 'json')]
  })
}

/** An example as JSON; '' if the example contains itself, which YAML aliases allow. */
function exampleJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? ''
  } catch {
    return '' // JSON.stringify fails only for cyclic data.
  }
}
