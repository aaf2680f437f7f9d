import { createHash } from 'node:crypto'
import identity from '../../../packaging/identity.json'
import { version } from '../../../package.json'
import { jsonText } from '../../platform/json.ts'

const cardPath = '/mcp/server-card'
const catalogPath = '/.well-known/ai-catalog.json'
const cardType = 'application/mcp-server-card+json'

/**
 * Answers the requests by which clients and crawlers find this server before they connect: the
 * Server Card (SEP-2127, a draft) and the AI Catalog that links to it. Returns null for any other
 * path. `originOf` returns the address that the client called, such as `https://docs.corp.example`.
 * Both documents are public and equal for all clients. They name no library or endpoint of a team.
 */
export function answerDiscovery(
  request: Request,
  path: string,
  originOf: () => string,
): Response | null {
  if (path === cardPath) return answer(request, cardType, card(originOf()))
  if (path !== catalogPath) return null
  const origin = originOf()
  const identifier = `urn:air:${new URL(origin).hostname}:mcp:${identity.name}`
  const entries = [{ identifier, type: cardType, url: `${origin}${cardPath}` }]
  return answer(request, 'application/ai-catalog+json', { specVersion: '1.0', entries })
}

function card(origin: string): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: identity.registryName || `local/${identity.name}`,
    title: identity.name,
    description: identity.summary,
    version,
    ...(identity.homepage === '' ? {} : { websiteUrl: identity.homepage }),
    remotes: [{ type: 'streamable-http', url: `${origin}/mcp` }],
  }
}

function answer(request: Request, type: string, content: object): Response {
  const text = jsonText(content)
  const etag = `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`
  const headers = {
    'Content-Type': type,
    'Cache-Control': 'public, max-age=3600',
    ETag: etag,
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET',
    'Access-Control-Allow-Headers': 'Content-Type, If-None-Match',
    'Access-Control-Expose-Headers': 'ETag',
  }
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers })
  if (!['GET', 'HEAD'].includes(request.method)) {
    return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD, OPTIONS' } })
  }
  const isKnown = request.headers.get('if-none-match') === etag
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(text, { headers })
}
