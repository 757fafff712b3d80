/** A certificate that ran out in 2020, and its key: of no use for anything but showing that it is refused. */
export const expiredCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTR2cNTHEqEs2fI1C
qBXaOzhMZcug8qFMlXjVhrQEv82hRANCAAT6B0BJKCN9oh0tAuUEwSq09or14ZBE
R3YDL9jxiPDeNvH/PhimzyykLdZ63ym4v09EJNmgt7bUuCijiuHU0obR
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBDjCBtgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwHhcN
MjAwMTAxMDAwMDAwWhcNMjAwMTAyMDAwMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT6B0BJKCN9oh0tAuUEwSq09or1
4ZBER3YDL9jxiPDeNvH/PhimzyykLdZ63ym4v09EJNmgt7bUuCijiuHU0obRMAoG
CCqGSM49BAMCA0cAMEQCIH2toWTWDYTN81bj+NqbQPxe2h2yw8yVQ0THttf4iElM
AiAHBlJ7B/jHjHodLQ1cYNm9iGauizQpPq0Nt1okHc8PGg==
-----END CERTIFICATE-----
`,
}
