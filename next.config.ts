import type { NextConfig } from 'next'

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  // A path of the API with a slash at its end is answered, not redirected: clients drop the body on a redirect.
  skipTrailingSlashRedirect: true,
  serverExternalPackages: ['pino', 'postgres'],
  // One place checks types: `npm run verify`.
  typescript: { ignoreBuildErrors: true },
  headers: async () => [
    {
      source: '/:path*',
      headers: [
        { key: 'X-Content-Type-Options', value: 'nosniff' },
        { key: 'X-Frame-Options', value: 'DENY' },
        { key: 'Referrer-Policy', value: 'strict-origin-when-cross-origin' },
      ],
    },
  ],
}

export default config
