// Criterion sets up libgit2 in the process of every test, and that reads the certificates of all authorities that this host trusts:
// a third of the processor time of a test that computes little, and more of it under AddressSanitizer. No test asks git for anything, so
// it finds none here: unit programs are linked with these in place of those of libmbedx509 that libgit2 would call.

int mbedtls_x509_crt_parse_file(void *chain, const char *path);
int mbedtls_x509_crt_parse_path(void *chain, const char *path);

int mbedtls_x509_crt_parse_file(void *chain, const char *path)
{
  (void)chain, (void)path;
  return 0;
}

int mbedtls_x509_crt_parse_path(void *chain, const char *path)
{
  (void)chain, (void)path;
  return 0;
}
