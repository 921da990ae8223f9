"""Games of a library built by the workers of a Dask cluster: `kismet build --dask`."""
