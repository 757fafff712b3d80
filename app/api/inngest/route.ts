import { serve } from 'inngest/next'
import { sharedPool } from '@/db/client'
import { systemClock } from '@/lib/clock'
import { inngest, inngestFunctions } from '@/lib/jobs/inngest'

export const { GET, POST, PUT } = serve({ client: inngest, functions: inngestFunctions({ db: sharedPool, clock: systemClock }) })
