// What became of CUDA's driver: the result of cuInit, 0 where it works, or that there is none.
enum { garaph_no_driver = -1 };
extern int garaph_driver;
