import { serveLocal } from './serve-local.ts'

/** Stands in for the services of Amazon that issue keys of a role: STS, ECS, EKS and EC2. */
export type KeyServer = Disposable & {
  url: string
  /** `METHOD path` of each request, and the proof of identity in it. */
  asked: string[]
  proofs: string[]
  /** The session token of the keys that are issued now, and their lifetime. */
  token: string
  seconds: number
  /** Answers instead of the service; null means that the service answers. */
  fault: (() => Response) | null
}

export function serveKeys(): KeyServer {
  const asked: string[] = []
  const proofs: string[] = []
  const server = serveLocal(async (request) => answer(request))
  const keys: KeyServer = {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    proofs,
    token: 'one',
    seconds: 3_600,
    fault: null,
    [Symbol.dispose]: () => void server.stop(true),
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    asked.push(`${request.method} ${pathname}`)
    if (keys.fault !== null) return keys.fault()
    if (pathname === '/') return ofSts(new URLSearchParams(await request.text()))
    const { headers } = request
    if (pathname === '/v1/credentials') {
      proofs.push(headers.get('authorization') ?? '')
      return Response.json(inJson())
    }
    if (pathname === '/latest/api/token' && request.method === 'PUT') {
      return new Response(`session for ${headers.get('x-aws-ec2-metadata-token-ttl-seconds')}`)
    }
    proofs.push(headers.get('x-aws-ec2-metadata-token') ?? '')
    if (!pathname.endsWith('/builder')) return new Response('builder\n')
    return Response.json({ Code: 'Success', ...inJson() })
  }

  const expiration = () => new Date(Date.now() + keys.seconds * 1000).toISOString()
  const inJson = () => ({
    AccessKeyId: 'AKIDEXAMPLE',
    SecretAccessKey: 'never-to-be-printed',
    Token: keys.token,
    Expiration: expiration(),
  })

  function ofSts(form: URLSearchParams): Response {
    proofs.push(
      ['RoleArn', 'RoleSessionName', 'WebIdentityToken', 'Action']
        .map((name) => form.get(name))
        .join(' '),
    )
    const { AccessKeyId, SecretAccessKey, Token, Expiration } = inJson()
    return new Response(
      `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult>
<Credentials><AccessKeyId>${AccessKeyId}</AccessKeyId><SecretAccessKey>${SecretAccessKey}
</SecretAccessKey><SessionToken>${Token}</SessionToken><Expiration>${Expiration}</Expiration>
</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`.replace(
        '\n</Secret',
        '</Secret',
      ),
    )
  }

  return keys
}
